#include "heed/train/optimisers.h"

namespace heed {

const Catalogue<Optimiser>& optimisers() {
  static const Catalogue<Optimiser> all{
      "optimiser",
      {
          {"adam", {}, "p − η m̂ / (√v̂ + ε), decay added to the gradient", adam},
          {"adamw", {}, "p − η m̂ / (√v̂ + ε) − η λ p", adamw},
          {"sgd", {}, "p − η u, u = μ u + g", sgd},
      }};
  return all;
}

}  // namespace heed
