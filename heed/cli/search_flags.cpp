#include "heed/cli/search_flags.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/config/apply.h"

namespace heed {

void SearchFlags::options(Options& options, SourceKind reads) {
  const bool reads_text = reads == SourceKind::text;
  options_.reads = reads;
  options_.is_whole = !reads_text;
  options_.max_source = reads_text ? 1000 : 0;
  settings_ = SettingOptions(options, options_);
  settings_["beam"].also("-b");
  settings_["length_norm"].also("--normalise").also("--normalize");
  settings_["diverse"].takes("GROUPS");
  if (reads_text) {
    settings_["max_source"].check(whole(1, 1000000));
  }
  settings_["prefix"].check(utf8_text());
  settings_["constrain"].check(utf8_text());
  for (const char* name : {"temperature", "top_k", "top_p"}) {
    settings_[name].under("Sampling").only_with({"--sample"});
  }
  settings_["seed"].under("Sampling");
  settings_["diversity"].only_with({"--diverse"});
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

TranslateOptions SearchFlags::chosen(const std::string& verb, const Json& wanted,
                                     const std::string& path) const {
  TranslateOptions out = options_;
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
  if (samples_) {
    s.strategy = "sample";
  } else if (is_diverse) {
    s.strategy = "diverse";
    if (!settings_["beam"].is_given()) {  // groups of equal size
      s.beam = (std::max(s.beam, s.groups) + s.groups - 1) / s.groups * s.groups;
    }
    s.beam = std::max(s.beam, s.groups);
  } else if (is_constrained) {
    s.strategy = "constrained";
    s.beam = settings_["beam"].is_given() ? s.beam : std::max<int64_t>(s.beam, 5);
  }
  s.beam = std::max(s.beam, s.n_best);
  return out;
}

}  // namespace heed
