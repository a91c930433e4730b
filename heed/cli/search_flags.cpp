#include "heed/cli/search_flags.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "heed/base/error.h"
#include "heed/config/apply.h"
#include "heed/config/explain.h"
#include "heed/search/strategies.h"

namespace heed {
namespace {

/// Marian's --normalize takes what is --alpha here.
ValueCheck norm_or_advice(std::vector<std::string> norms) {
  ValueCheck check = one_of(std::move(norms));
  check.fault = [names = check.fault](const std::string& given) {
    return at_least(0).fault(given).empty()
               ? fmt::format("must be a name such as wu, not \"{0}\"; its strength is --alpha {0}",
                             given)
               : names(given);
  };
  return check;
}

/// A beam of 1 is greedy, whatever the strategy's name.
ValueCheck strategy_or_advice() {
  ValueCheck check = one_of(strategies().listing());
  check.fault = [names = check.fault](const std::string& given) {
    const std::string fault = names(given);
    return fault.empty() || given != "greedy" ? fault : fault + "; greedy is --beam 1";
  };
  return check;
}

/// The option that chooses a strategy of the catalogue.
std::string option_of(const std::string& strategy) {
  static const std::map<std::string, std::string> options = {
      {"sample", "--sample"}, {"diverse", "--diverse"}, {"constrained", "--constrain"}};
  const auto found = options.find(strategy);
  return found == options.end() ? "--strategy " + strategy : found->second;
}

}  // namespace

void SearchFlags::options(Options& options, SourceKind reads) {
  const bool reads_text = reads == SourceKind::text;
  options_.reads = reads;
  options_.is_whole = !reads_text;
  options_.max_source = reads_text ? 1000 : 0;
  settings_ = SettingOptions(options, options_);
  settings_["diverse"].takes("GROUPS");
  if (reads_text) {
    settings_["max_source"].check(whole(1, 1000000));
  }
  settings_["length_norm"].check(norm_or_advice(settings_["length_norm"].choices()));
  settings_["strategy"].check(strategy_or_advice());
  for (const char* name : {"beam", "length_norm", "alpha", "coverage", "max_length_factor",
                           "max_length_margin", "rounds", "length_beam", "ctc_weight", "weights_of",
                           "word_starts", "word_ends", "late_ms"}) {
    Option& option = settings_[name];
    option.defaults_to("what the model file says, else " + option.fallback());
  }
  settings_["prefix"].check(utf8_text());
  settings_["constrain"].check(utf8_text());
  for (const char* name : {"temperature", "top_k", "top_p", "seed"}) {
    settings_[name].under("Sampling");
  }
  for (const char* name : {"ensemble", "combine", "ctc_weight", "lm_weight"}) {
    settings_[name].under("Several models and decoders");
  }
  settings_["lm_weight"].only_with({"--lm"});
  for (const char* name : {"whole", "max_source", "max_seconds", "batch"}) {
    if (settings_.has(name)) {
      settings_[name].under("Input");
    }
  }
  for (const char* name : {"n_best", "allow_unk", "replace_unknowns"}) {
    if (settings_.has(name)) {
      settings_[name].under("Output");
    }
  }
  settings_["weights_of"].under("Drawing");
  settings_["word_starts"].under("Drawing");
  settings_["word_ends"].under("Drawing");
  settings_["late_ms"].under("Drawing");
  options.flag("--sample", samples_, "draw the words at random, --n-best times").under("Sampling");
}

/// The settings that the model wants and the user has not given.
void SearchFlags::take_wanted(SearchOptions& search, const Json& wanted,
                              const std::string& path) const {
  Json open = Json::object();
  for (const Json::Member& one : *wanted.get<Json::Object>()) {
    if (!settings_.has(one.key) || !settings_[one.key].is_given()) {
      open.set(one.key, one.value);
    }
  }
  try {
    apply(search, open);
  } catch (const Error& error) {
    fail(Fault::file, "{}: search: {}; the file is of another version of heed", path, error.what());
  }
}

AnswerOptions SearchFlags::chosen(const std::string& verb, const Json& wanted,
                                  const std::string& path) const {
  AnswerOptions out = options_;
  SearchOptions& s = out.search;
  take_wanted(s, wanted, path);
  const bool is_diverse = settings_["diverse"].is_given();
  const bool is_constrained = !out.phrases.empty();
  if (int{samples_} + int{is_diverse} + int{is_constrained} > 1) {
    fail(Fault::usage, "{}: --sample, --diverse and --constrain exclude each other; give one",
         verb);
  }
  if (samples_ && settings_["beam"].is_given()) {
    fail(Fault::usage, "{}: --beam has no effect with --sample; --n-best says how many are drawn",
         verb);
  }
  if (samples_ || is_diverse || is_constrained) {
    s.strategy = samples_ ? "sample" : is_diverse ? "diverse" : "constrained";
    s.beam = s.strategies.at(s.strategy).fitting_beam(s.beam, settings_["beam"].is_given());
  }
  s.beam = std::max(s.beam, s.n_best);
  return out;
}

/// Fails if an option is given that another strategy reads than the chosen one.
void SearchFlags::check_strategy(const std::string& verb, const SearchOptions& chosen,
                                 const SearchReach& reach) const {
  const auto check = [&](const std::string& setting, const std::string& strategy) {
    if (settings_[setting].is_given()) {
      fail(Fault::usage, "{}: {} has no effect without {}; add that, or leave it out", verb,
           settings_[setting].given_as(), option_of(strategy));
    }
  };
  const bool draws = chosen.strategies.at(chosen.strategy).draws() || reach.draws_slots;
  for (const auto& strategy : chosen.strategies) {
    const Json own = config_of(*strategy);
    for (const Json::Member& one : *own.get<Json::Object>()) {
      if (strategy->kind() != chosen.strategy) {
        check(one.key, strategy->kind());
      }
    }
    if (strategy->draws() && !draws) {
      check("seed", strategy->kind());
    }
  }
}

/// Why a strength of the length normalisation changes nothing where there is none.
std::string SearchFlags::no_norm() const {
  return settings_["length_norm"].is_given()
             ? "has no effect with --length-norm none; leave out one of them"
             : "has no effect, because the model's file says that there is no length "
               "normalisation; add --length-norm wu, or leave it out";
}

void SearchFlags::check_effects(const std::string& verb, const SearchOptions& chosen,
                                const SearchReach& reach) const {
  check_strategy(verb, chosen, reach);
  struct Idle {
    std::string setting;
    bool is_idle;
    std::string why;
  };
  const char* const ctc =
      "is for a model with a ctc decoder beside the main one, and this one has none; leave it out";
  const char* const hears = "is for recordings, and this model reads none; leave it out";
  std::vector<Idle> idle = {{"alpha", chosen.length_norm == "none", no_norm()}};
  for (const SearchKind& kind : searches()) {
    for (const std::string& setting : kind.settings) {
      idle.push_back({setting, &kind != reach.search,
                      fmt::format("is for decoders that {}, and {} does not; leave it out",
                                  kind.does, reach.decoder)});
    }
  }
  const Idle others[] = {
      {"ctc_weight", !reach.asks_ctc, ctc},
      {"weights_of", !reach.shows_ctc && chosen.weights_of == WeightsOf::ctc, ctc},
      {"word_starts", !reach.hears, hears},
      {"word_ends", !reach.hears, hears},
      {"late_ms", !reach.hears, hears},
      {"ensemble", !reach.averages,
       "is for several models or decoders, and there is one; leave it out"},
  };
  idle.insert(idle.end(), std::begin(others), std::end(others));
  for (const Idle& one : idle) {
    if (settings_[one.setting].is_given() && one.is_idle) {
      fail(Fault::usage, "{}: {} {}", verb, settings_[one.setting].given_as(), one.why);
    }
  }
}

}  // namespace heed
