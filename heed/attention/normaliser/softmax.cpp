// softmax: α_j = e^{e_j} / Σ_k e^{e_k}
#include "heed/ops/softmax.h"

#include "heed/attention/normalisers.h"

namespace heed {
namespace {

class SoftmaxNormaliser : public Normaliser {
 public:
  Normalised operator()(const Tensor& scores, const Tensor& /*count*/,
                        Pass& /*pass*/) const override {
    return {softmax(scores), {}, {}};
  }
  std::optional<LoweredNormaliser> lower() const override { return Streaming{}; }
};

}  // namespace

std::unique_ptr<Normaliser> softmax_normaliser() { return std::make_unique<SoftmaxNormaliser>(); }

}  // namespace heed
