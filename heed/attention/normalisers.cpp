#include "heed/attention/normalisers.h"

namespace heed {

Catalogue<Normaliser>& normalisers() {
  static Catalogue<Normaliser> all{
      "normaliser",
      {
          {"softmax", {}, "e^{e_j} / Σ_k e^{e_k}", HEED_MADE_BY(Normaliser, softmax_normaliser)},
          {"relu",
           {},
           "max(0, e_j), undivided or divided by n or by its sum",
           HEED_MADE_BY(Normaliser, relu_normaliser)},
          {"sigmoid", {}, "σ(e_j + b), b = −log n", HEED_MADE_BY(Normaliser, sigmoid_normaliser)},
          {"sparsemax", {}, "max(0, e_j − τ), Σ = 1", HEED_MADE_BY(Normaliser, sparsemax)},
          {"entmax15", {}, "max(0, e_j/2 − τ)², Σ = 1", HEED_MADE_BY(Normaliser, entmax15)},
          {"topk", {}, "softmax over the k largest", HEED_MADE_BY(Normaliser, topk_normaliser)},
          {"gumbel",
           {},
           "one slot, argmax (e + g)/τ, gradient of its softmax",
           HEED_MADE_BY(Normaliser, gumbel)},
          {"hard", {}, "one slot s ~ softmax(e)", HEED_MADE_BY(Normaliser, hard)},
      }};
  return all;
}

}  // namespace heed
