#include "heed/attention/normalisers.h"

namespace heed {

Catalogue<Normaliser>& normalisers() {
  static Catalogue<Normaliser> all{
      "normaliser",
      {
          {"softmax", {}, "e^{e_j} / Σ_k e^{e_k}", softmax_normaliser},
          {"relu", {}, "max(0, e_j), undivided or divided by n or by its sum", relu_normaliser},
          {"sigmoid", {}, "σ(e_j + b), b = −log n", sigmoid_normaliser},
          {"sparsemax", {}, "max(0, e_j − τ), Σ = 1", sparsemax},
          {"entmax15", {}, "max(0, e_j/2 − τ)², Σ = 1", entmax15},
          {"topk", {}, "softmax over the k largest", topk_normaliser},
          {"gumbel", {}, "one slot, argmax (e + g)/τ, gradient of its softmax", gumbel},
          {"hard", {}, "one slot s ~ softmax(e)", hard},
      }};
  return all;
}

}  // namespace heed
