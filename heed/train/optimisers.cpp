#include "heed/train/optimisers.h"

namespace heed {

const Catalogue<Optimiser>& optimisers() {
  static const Catalogue<Optimiser> all{
      "optimiser",
      {
          {"adam", {}, "p − η m̂ / (√v̂ + ε), decay added to the gradient", adam},
          {"adamw", {}, "p − η m̂ / (√v̂ + ε) − η λ p", adamw},
          {"adafactor",
           {},
           "p − ρ max(ε₂, rms p) u / max(1, rms u / k), u = g / √(r c / mean r)",
           adafactor},
          {"sgd", {}, "p − η u, u = μ u + g", sgd},
      }};
  return all;
}

}  // namespace heed
