#include "heed/attention/scores.h"

namespace heed {

Catalogue<Score>& scores() {
  static Catalogue<Score> all{
      "score",
      {
          {"dot", {}, "qᵀk", HEED_MADE_BY(Score, dot)},
          {"scaled_dot", {}, "qᵀk / √d", HEED_MADE_BY(Score, scaled_dot)},
          {"bilinear", {"general"}, "qᵀWk", HEED_MADE_BY(Score, bilinear)},
          {"cosine", {}, "t · qᵀk / (‖q‖‖k‖)", HEED_MADE_BY(Score, cosine)},
          {"additive", {"mlp", "concat"}, "vᵀ f(W_q q + W_k k + b)", HEED_MADE_BY(Score, additive)},
          {"location", {}, "(W q)_j", HEED_MADE_BY(Score, location)},
          {"location_aware",
           {},
           "vᵀ tanh(W_q q + W_k k + U (F ∗ α_{i−1})_j + b)",
           HEED_MADE_BY(Score, location_aware)},
      }};
  return all;
}

}  // namespace heed
