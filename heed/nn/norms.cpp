#include "heed/nn/norms.h"

namespace heed {

const Catalogue<Norm>& norms() {
  static const Catalogue<Norm> all{
      "norm",
      {
          {"layer_norm", {"layer"}, "w (x − μ) / √(σ² + ε) + b", [] { return layer_norm(); }},
          {"rms_norm", {"rms"}, "w x / √(mean x² + ε)", [] { return rms_norm(); }},
      }};
  return all;
}

}  // namespace heed
