#include "heed/search/search_options.h"

#include "heed/search/strategies.h"

namespace heed {

void SearchOptions::describe(Describer& d) {
  constexpr double most_beam = 1024;
  constexpr double most_words = 1'000'000;
  d.setting("beam", beam,
            {.help = "hypotheses kept at every step; 1: greedy", .least = 1, .most = most_beam});
  d.setting(
      "n_best", n_best,
      {.help = "hypotheses handed out; more than one as `line ||| text ||| F0= log p ||| score`",
       .least = 1,
       .most = most_beam});
  d.setting("length_norm", normalise,
            {.help = "divide log p by: none 1, wu ((5+|Y|)/6)^alpha, length |Y|^alpha",
             .choices = length_norms()});
  d.setting("alpha", alpha, {.help = "strength of the length normalisation", .least = 0});
  d.setting("coverage", coverage,
            {.help = "reward for looking at every source word (Wu 2016)", .least = 0});
  d.setting("max_length", max_length,
            {.help = "words of a translation at most", .least = 1, .most = most_words});
  d.setting("max_length_factor", length_factor,
            {.help = "and at most so many for each source word, and --max-length-margin more",
             .least = 0});
  d.setting("max_length_margin", length_margin,
            {.help = "words beyond those the factor allows", .least = 0, .most = most_words});
  d.setting("strategy", strategy,
            {.help = "which continuations are kept; --sample, --diverse and --constrain choose "
                     "theirs",
             .choices = strategies().names()});
  d.setting("temperature", temperature,
            {.help = "of --sample: below 1 bolder, above 1 wilder", .least = 1e-6});
  d.setting(
      "top_k", top_k,
      {.help = "of --sample: of the k likeliest words; 0: of all", .least = 0, .most = most_words});
  d.setting(
      "top_p", top_p,
      {.help = "of --sample: of the fewest words that together reach p", .least = 1e-6, .most = 1});
  d.setting("seed", seed, {.help = "of --sample: another seed, other words", .least = 0});
  d.setting(
      "diverse", groups,
      {.help = "groups of the beam that avoid each other's words", .least = 1, .most = most_beam});
  d.setting("diversity", diversity,
            {.help = "of --diverse: what a word costs that another group said", .least = 0});
  d.setting("ensemble", mean,
            {.help = "of several models or decoders: mean of probability or log_probability",
             .choices = ensemble_means()});
  d.setting("combine", combine,
            {"another decoder of the model that is asked beside the main one, NAME or NAME=WEIGHT; "
             "main=WEIGHT: what the main one counts, else 1"});
}

}  // namespace heed
