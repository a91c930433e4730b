#include "heed/search/sentence_settings.h"

#include <algorithm>

#include "heed/config/limits.h"
#include "heed/search/hypothesis_score.h"

namespace heed {

void SentenceSettings::describe(Describer& d) {
  d.setting("beam", beam,
            {.help = "hypotheses kept at every step; 1: greedy", .least = 1, .most = most_beam});
  d.setting("until", until, {{"full", BeamEnds::full}, {"settled", BeamEnds::settled}},
            {"when a beam ends: full, as soon as it has finished as many outputs as it keeps "
             "hypotheses; settled, once none under way is better than the worst of those"});
  d.setting(
      "n_best", n_best,
      {.help = "outputs for a line, a picture or a recording; several are printed as `line "
               "||| text ||| F0= log p ||| score`, p the model's own; with a language model or "
               "a ctc decoder beside the main one Sum= behind F0 is what was searched for",
       .least = 1,
       .most = most_beam});
  d.setting("length_norm", length_norm,
            {.help = "divide log p by: none 1, wu ((5+|Y|)/6)^alpha, length |Y|^alpha",
             .choices = length_norms()});
  d.setting("alpha", alpha,
            {.help = "strength of the length normalisation", .least = 0, .most = 100});
  d.setting(
      "coverage", coverage,
      {.help = "weight of the coverage penalty: reward attention to every source word (Wu 2016)",
       .least = 0,
       .most = most_factor});
  d.setting(
      "max_length", max_length,
      {.help = "most tokens in an output: words, characters or subwords, as the model has them",
       .least = 1,
       .most = most_words});
  d.setting("max_length_factor", max_length_factor,
            {.help = "most tokens for each token of the source, plus --max-length-margin",
             .least = 0,
             .most = most_words});
  d.setting(
      "max_length_margin", max_length_margin,
      {.help = "tokens added to the limit of --max-length-factor", .least = 0, .most = most_words});
  d.setting(
      "start", start,
      {"named tokens before every output, such as \"<|en|><|transcribe|>\"; of several with / "
       "between them, <|en|>/<|fr|>, the model chooses one"});
  d.setting("language", language,
            {"of the tokens between which --start lets the model choose, the one of this language, "
             "such as fr"});
  rules.describe(d);
  d.setting("allow_unk", allow_unk,
            {"let outputs contain <unk>, the token of words that the model does not know"});
}

std::vector<TokenId> suppressed_words(const SpecialTokens& specials,
                                      const SentenceSettings& settings) {
  std::vector<TokenId> all = specials.suppressed();
  if (!settings.allow_unk && specials.has(Special::unknown)) {
    all.push_back(specials.unknown());
    std::sort(all.begin(), all.end());
  }
  return all;
}

}  // namespace heed
