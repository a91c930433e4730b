#include "heed/metric/metrics.h"

#include <vector>

namespace heed {

// HEED_MADE_BY names functions of the namespace around it, so these lists are in no other.

static std::vector<Catalogue<Metric>::Entry> of_texts() {
  return {
      {"exact_match",
       {"sequence_accuracy"},
       "100 #{i: h_i = some r_i} / N",
       HEED_MADE_BY(Metric, exact_match)},
      {"token_accuracy",
       {},
       "100 Σ_i #{j: h_ij = r_ij} / Σ_i max(|h_i|, |r_i|)",
       HEED_MADE_BY(Metric, token_accuracy)},
      {"f1",
       {},
       "100 mean_y 2 TP_y / (2 TP_y + FP_y + FN_y) over labels y, or of one label",
       HEED_MADE_BY(Metric, label_f1)},
      {"wer",
       {},
       "100 Σ_i edits(h_i, r_i) / Σ_i |r_i| in words",
       HEED_MADE_BY(Metric, word_error_rate)},
      {"cer",
       {},
       "100 Σ_i edits(h_i, r_i) / Σ_i |r_i| in characters",
       HEED_MADE_BY(Metric, character_error_rate)},
      {"per",
       {},
       "100 Σ_i edits(h_i, r_i) / Σ_i |r_i| in phonemes",
       HEED_MADE_BY(Metric, phoneme_error_rate)},
      {"ser", {}, "100 #{i: h_i ≠ every r_i} / N", HEED_MADE_BY(Metric, sentence_error_rate)},
      {"start_times",
       {},
       "100 #{words right, and begun within the tolerance} / Σ_i |r_i| of words with "
       "times",
       HEED_MADE_BY(Metric, start_times)},
      {"bleu",
       {},
       "100 min(1, exp(1 − r/c)) exp(¼ Σ_n ln p_n), n-grams of 1 to 4 words (sacreBLEU)",
       HEED_MADE_BY(Metric, bleu)},
      {"chrf",
       {},
       "100 · 5PR / (4P + R), n-grams of 1 to 6 characters (sacreBLEU)",
       HEED_MADE_BY(Metric, chrf)},
      {"chrf++",
       {},
       "chrf with n-grams of 1 and 2 words as well (sacreBLEU)",
       HEED_MADE_BY(Metric, chrf_plus_plus)},
      {"ter",
       {},
       "100 Σ_i edits and moved blocks / Σ_i |r_i| in words (sacreBLEU)",
       HEED_MADE_BY(Metric, ter)},
      {"rouge1",
       {"rouge-1"},
       "100 mean_i F1 of words (rouge_score, unstemmed)",
       HEED_MADE_BY(Metric, rouge_1)},
      {"rouge2", {"rouge-2"}, "100 mean_i F1 of pairs of words", HEED_MADE_BY(Metric, rouge_2)},
      {"rougeL",
       {"rougel", "rouge-l", "rouge-L"},
       "100 mean_i F1 of the longest common subsequence of words",
       HEED_MADE_BY(Metric, rouge_l)},
  };
}

/// Captions are judged as the COCO caption evaluation judges them.
static std::vector<Catalogue<Metric>::Entry> of_captions_and_links() {
  return {
      {"coco_bleu1",
       {"bleu-1"},
       "100 BP p_1 of captions (COCO caption evaluation)",
       HEED_MADE_BY(Metric, coco_bleu_1)},
      {"coco_bleu2",
       {"bleu-2"},
       "100 BP (p_1 p_2)^½ of captions",
       HEED_MADE_BY(Metric, coco_bleu_2)},
      {"coco_bleu3",
       {"bleu-3"},
       "100 BP (p_1 p_2 p_3)^⅓ of captions",
       HEED_MADE_BY(Metric, coco_bleu_3)},
      {"coco_bleu4",
       {"bleu-4"},
       "100 BP (p_1 p_2 p_3 p_4)^¼ of captions",
       HEED_MADE_BY(Metric, coco_bleu_4)},
      {"coco_rougeL",
       {"coco_rougel"},
       "100 mean_i 2.44 P R / (R + 1.44 P), the best P and R of several captions (COCO)",
       HEED_MADE_BY(Metric, coco_rouge_l)},
      {"cider_d",
       {"cider-d", "cider"},
       "1000 mean_i of tf-idf cosines with the captions, clipped, n-grams of 1 to 4 words "
       "(COCO's CIDEr × 100)",
       HEED_MADE_BY(Metric, cider_d)},
      {"aer",
       {},
       "100 (1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|)) of word alignments",
       HEED_MADE_BY(Metric, alignment_error_rate)},
  };
}

namespace {

struct AllMetrics : Catalogue<Metric> {
  AllMetrics() : Catalogue("metric", {}) {
    for (const auto& list : {of_texts(), of_captions_and_links()}) {
      for (const Entry& entry : list) {
        add(entry);
      }
    }
  }
};

}  // namespace

Catalogue<Metric>& metrics() {
  static AllMetrics all;
  return all;
}

}  // namespace heed
