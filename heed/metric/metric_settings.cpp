#include "heed/metric/metric_settings.h"

#include "heed/metric/tokenisations.h"

namespace heed {

void MetricSettings::describe(Describer& d) {
  d.setting(
      "tokenize", tokenise,
      {.help = "BLEU's words: 13a, zh, char, none or intl", .choices = tokenisations().names()});
  d.setting("lowercase", is_lowercase, {"capitals are small letters (TER: they always are)"});
  d.setting("smooth", smoothing,
            {{"exp", Smoothing::exp},
             {"floor", Smoothing::floor},
             {"add-k", Smoothing::add_k},
             {"none", Smoothing::none}},
            {"BLEU, where nothing matches: exp, floor, add-k or none"});
  d.setting("smooth_value", smoothing_value, {.help = "of floor (0.1) or add-k (1)", .least = 0});
  d.setting("effective_order", uses_effective_order,
            {"BLEU of the orders that there are n-grams of"});
  d.setting("ter_case_sensitive", is_case_sensitive, {"TER: capitals count"});
  d.setting("ter_normalized", is_normalised, {"TER: punctuation apart from words"});
  d.setting("ter_no_punct", drops_punctuation, {"TER: without punctuation"});
  d.setting("ter_asian_support", supports_asian, {"TER: with these two, ideographs apart"});
}

}  // namespace heed
