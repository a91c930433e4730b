#include "heed/metric/metric_settings.h"

#include "heed/config/limits.h"
#include "heed/metric/tokenisations.h"

namespace heed {

void MetricSettings::describe(Describer& d) {
  d.setting("tokenize", tokenise,
            name_from(tokenisations().listing(),
                      "BLEU: how text is split into words: 13a, zh, char, none or intl"));
  d.setting("lowercase", is_lowercase, {"ignore case (TER does so by default)"});
  d.setting("smooth", smoothing,
            {{"exp", Smoothing::exp},
             {"floor", Smoothing::floor},
             {"add-k", Smoothing::add_k},
             {"none", Smoothing::none}},
            {"BLEU: smoothing where nothing matches: exp, floor, add-k or none"});
  d.setting("smooth_value", smoothing_value,
            {.help = "BLEU: the value of floor (0.1 unless given) or add-k (1)",
             .least = 0,
             .most = most_factor});
  d.setting("effective_order", uses_effective_order,
            {"BLEU: use only the orders that the text is long enough for"});
  d.setting("ter_case_sensitive", is_case_sensitive, {"TER: distinguish capitals"});
  d.setting("ter_normalized", is_normalised, {"TER: split punctuation from words"});
  d.setting("ter_no_punct", drops_punctuation, {"TER: ignore punctuation"});
  d.setting("ter_asian_support", supports_asian,
            {"TER: with the two above, also split ideographs"});
  d.setting("f1_label", f1_label, {"F1: of this label alone, not the mean over all labels"});
  d.setting("within", tolerance_ms,
            {.help = "start_times: milliseconds that a word may begin too early or too late",
             .least = 0,
             .most = 1e6});
  d.setting("caption_no_punct", caption_drops_punctuation,
            {"captions: leave out tokens that are punctuation, as COCO's tokeniser does"});
}

}  // namespace heed
