#include "heed/attention/scores.h"

namespace heed {

Catalogue<Score>& scores() {
  static Catalogue<Score> all{
      "score",
      {
          {"dot", {}, "qᵀk", dot},
          {"scaled_dot", {}, "qᵀk / √d", scaled_dot},
          {"bilinear", {"general"}, "qᵀWk", bilinear},
          {"cosine", {}, "t · qᵀk / (‖q‖‖k‖)", cosine},
          {"additive", {"mlp", "concat"}, "vᵀ f(W_q q + W_k k + b)", additive},
          {"location", {}, "(W q)_j", location},
          {"location_aware", {}, "vᵀ tanh(W_q q + W_k k + U (F ∗ α_{i−1})_j + b)", location_aware},
      }};
  return all;
}

}  // namespace heed
