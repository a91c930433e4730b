#include "heed/metric/metrics.h"

namespace heed {

const Catalogue<Metric>& metrics() {
  static const Catalogue<Metric> all(
      "metric",
      {
          {"exact_match", {"sequence_accuracy"}, "100 #{i: h_i = some r_i} / N", exact_match},
          {"token_accuracy",
           {},
           "100 Σ_i #{j: h_ij = r_ij} / Σ_i max(|h_i|, |r_i|)",
           token_accuracy},
          {"wer", {}, "100 Σ_i edits(h_i, r_i) / Σ_i |r_i| in words", word_error_rate},
          {"cer", {}, "100 Σ_i edits(h_i, r_i) / Σ_i |r_i| in characters", character_error_rate},
          {"per", {}, "100 Σ_i edits(h_i, r_i) / Σ_i |r_i| in phonemes", phoneme_error_rate},
      });
  return all;
}

}  // namespace heed
