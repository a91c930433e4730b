#include "heed/cli/search_flags.h"

#include <algorithm>
#include <limits>

namespace heed {
namespace {

constexpr int64_t most_beam = 1024;
constexpr int64_t most_words = 1000000;

void add_scores(Options& options, SearchOptions& s) {
  options
      .add("--length-norm,--normalise,--normalize", s.normalise,
           "divide log p by: none 1, wu ((5+|Y|)/6)^alpha, length |Y|^alpha")
      .check(one_of(length_norms()))
      .takes("NAME")
      .with_default();
  options.add("--alpha", s.alpha, "strength of the length normalisation")
      .check(at_least(0))
      .takes("X")
      .with_default();
  options.add("--coverage", s.coverage, "reward for looking at every source word (Wu 2016)")
      .check(at_least(0))
      .takes("X");
  options.add("--max-length", s.max_length, "words of a translation at most")
      .check(whole(1, most_words))
      .takes("N");
  options
      .add("--max-length-factor", s.length_factor,
           "and at most so many for each source word, and 20 more")
      .check(at_least(0))
      .takes("X")
      .with_default();
}

void add_sampling(Options& options, SearchOptions& s) {
  options.add("--temperature", s.temperature, "of --sample: below 1 bolder, above 1 wilder")
      .check(at_least(1e-6))
      .takes("X")
      .with_default();
  options.add("--top-k", s.top_k, "of --sample: of the k likeliest words; 0: of all")
      .check(whole(0, most_words))
      .takes("K");
  options.add("--top-p", s.top_p, "of --sample: of the fewest words that together reach p")
      .check(between(1e-6, 1))
      .takes("P");
  options.add("--seed", s.seed, "of --sample: another seed, other words")
      .check(whole(0, std::numeric_limits<int64_t>::max()))
      .takes("N")
      .with_default();
}

}  // namespace

void SearchFlags::options(Options& options) {
  SearchOptions& s = options_.search;
  options_.max_source = 1000;
  beam_ = &options.add("-b,--beam", s.beam, "hypotheses kept at every step; 1: greedy")
               .check(whole(1, most_beam))
               .takes("N")
               .with_default();
  options.add("--n-best", s.n_best, "print so many: `line ||| text ||| F0= log p ||| score`")
      .check(whole(1, most_beam))
      .takes("N");
  add_scores(options, s);
  options.flag("--sample", samples_, "draw the words at random, --n-best times");
  add_sampling(options, s);
  options.add("--prefix", options_.prefix, "what every translation begins with")
      .check(utf8_text())
      .takes("TEXT");
  options
      .add("--constrain", options_.phrases,
           "what every translation must say, as often as needed; a beam of 5 unless given")
      .check(utf8_text())
      .takes("TEXT");
  groups_ = &options.add("--diverse", s.groups, "groups of the beam that avoid each other's words")
                 .check(whole(1, most_beam))
                 .takes("GROUPS");
  options.add("--diversity", s.diversity, "of --diverse: what a word costs that another group said")
      .check(at_least(0))
      .takes("X")
      .with_default();
  options.add("--ensemble", s.mean, "of several models: mean of probability or log_probability")
      .check(one_of(ensemble_means()))
      .takes("NAME")
      .with_default();
  options.flag("--replace-unknowns", options_.replaces_unknowns,
               "write the source word that an unknown word looked at");
  options.flag("--whole", is_whole_, "do not split lines into sentences");
  options.add("--max-source", options_.max_source, "tokens of a sentence; longer ones are cut")
      .check(whole(1, most_words))
      .takes("N")
      .with_default();
  options.add("--batch", options_.batch, "sentences searched together")
      .check(whole(1, 100000))
      .takes("N")
      .with_default();
}

TranslateOptions SearchFlags::chosen() const {
  TranslateOptions out = options_;
  SearchOptions& s = out.search;
  const bool is_diverse = groups_->is_given();
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
    s.beam = beam_->is_given() ? s.beam : 5;
  }
  s.beam = std::max(s.beam, s.n_best);
  out.splits = !is_whole_;
  return out;
}

}  // namespace heed
