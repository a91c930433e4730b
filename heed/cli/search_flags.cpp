#include "heed/cli/search_flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>

#include "heed/cli/argument.h"

namespace heed {
namespace {

constexpr int64_t most_beam = 1024;
constexpr int64_t most_words = 1000000;

void add_scores(CLI::App& app, SearchOptions& s) {
  app.add_option("--length-norm,--normalise,--normalize", s.normalise,
                 "divide log p by: none 1, wu ((5+|Y|)/6)^alpha, length |Y|^alpha")
      ->check(one_of(length_norms()))
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--alpha", s.alpha, "strength of the length normalisation")
      ->check(at_least(0))
      ->type_name("X")
      ->capture_default_str();
  app.add_option("--coverage", s.coverage, "reward for looking at every source word (Wu 2016)")
      ->check(at_least(0))
      ->type_name("X");
  app.add_option("--max-length", s.max_length, "words of a translation at most")
      ->check(whole(1, most_words))
      ->type_name("N");
  app.add_option("--max-length-factor", s.length_factor,
                 "and at most so many for each source word, and 20 more")
      ->check(at_least(0))
      ->type_name("X")
      ->capture_default_str();
}

void add_sampling(CLI::App& app, SearchOptions& s) {
  app.add_option("--temperature", s.temperature, "of --sample: below 1 bolder, above 1 wilder")
      ->check(at_least(1e-6))
      ->type_name("X")
      ->capture_default_str();
  app.add_option("--top-k", s.top_k, "of --sample: of the k likeliest words; 0: of all")
      ->check(whole(0, most_words))
      ->type_name("K");
  app.add_option("--top-p", s.top_p, "of --sample: of the fewest words that together reach p")
      ->check(between(1e-6, 1))
      ->type_name("P");
  app.add_option("--seed", s.seed, "of --sample: another seed, other words")
      ->check(whole(0, std::numeric_limits<int64_t>::max()))
      ->type_name("N")
      ->capture_default_str();
}

}  // namespace

void SearchFlags::options(CLI::App& app) {
  SearchOptions& s = options_.search;
  options_.max_source = 1000;
  beam_ = app.add_option("-b,--beam", s.beam, "hypotheses kept at every step; 1: greedy")
              ->check(whole(1, most_beam))
              ->type_name("N")
              ->capture_default_str();
  app.add_option("--n-best", s.n_best, "print so many: `line ||| text ||| F0= log p ||| score`")
      ->check(whole(1, most_beam))
      ->type_name("N");
  add_scores(app, s);
  app.add_flag("--sample", samples_, "draw the words at random, --n-best times");
  add_sampling(app, s);
  app.add_option("--prefix", options_.prefix, "what every translation begins with")
      ->check(utf8_text())
      ->type_name("TEXT");
  app.add_option("--constrain", options_.phrases,
                 "what every translation must say, as often as needed; a beam of 5 unless given")
      ->allow_extra_args(false)
      ->check(utf8_text())
      ->type_name("TEXT");
  groups_ =
      app.add_option("--diverse", s.groups, "groups of the beam that avoid each other's words")
          ->check(whole(1, most_beam))
          ->type_name("GROUPS");
  app.add_option("--diversity", s.diversity,
                 "of --diverse: what a word costs that another group said")
      ->check(at_least(0))
      ->type_name("X")
      ->capture_default_str();
  app.add_option("--ensemble", s.mean, "of several models: mean of probability or log_probability")
      ->check(one_of(ensemble_means()))
      ->type_name("NAME")
      ->capture_default_str();
  app.add_flag("--replace-unknowns", options_.replaces_unknowns,
               "write the source word that an unknown word looked at");
  app.add_flag("--whole", is_whole_, "do not split lines into sentences");
  app.add_option("--max-source", options_.max_source, "tokens of a sentence; longer ones are cut")
      ->check(whole(1, most_words))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--batch", options_.batch, "sentences searched together")
      ->check(whole(1, 100000))
      ->type_name("N")
      ->capture_default_str();
}

TranslateOptions SearchFlags::chosen() const {
  TranslateOptions out = options_;
  SearchOptions& s = out.search;
  const bool is_diverse = groups_->count() > 0;
  const bool is_constrained = !out.phrases.empty();
  if (int{samples_} + int{is_diverse} + int{is_constrained} > 1) {
    fail(Fault::usage,
         "translate: saw more than one of --sample, --diverse, --constrain, needs one");
  }
  if (samples_) {
    s.strategy = "sample";
  } else if (is_diverse) {
    s.strategy = "diverse";
    s.beam = std::max(s.beam, s.groups);
  } else if (is_constrained) {
    s.strategy = "constrained";
    s.beam = beam_->count() > 0 ? s.beam : 5;
  }
  s.beam = std::max(s.beam, s.n_best);
  out.splits = !is_whole_;
  return out;
}

}  // namespace heed
