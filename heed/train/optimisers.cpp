#include "heed/train/optimisers.h"

namespace heed {

const Catalogue<Optimiser>& optimisers() {
  static const Catalogue<Optimiser> all{
      "optimiser",
      {
          {"adam",
           {},
           "p − η m̂ / (√v̂ + ε), decay added to the gradient",
           HEED_MADE_BY(Optimiser, adam)},
          {"adamw", {}, "p − η m̂ / (√v̂ + ε) − η λ p", HEED_MADE_BY(Optimiser, adamw)},
          {"adafactor",
           {},
           "p − ρ max(ε₂, rms p) u / max(1, rms u / k), u = g / √(r c / mean r)",
           HEED_MADE_BY(Optimiser, adafactor)},
          {"sgd", {}, "p − η u, u = μ u + g", HEED_MADE_BY(Optimiser, sgd)},
      }};
  return all;
}

}  // namespace heed
