// sigmoid: α_j = σ(e_j + b − log n_i), each slot independently. Without `subtract_log_count` the
// term log n_i is left out.
#include "heed/attention/normalisers.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/elementwise.h"

namespace heed {
namespace {

class SigmoidNormaliser : public Normaliser {
 public:
  void describe(Describer& d) override {
    d.setting("bias", bias_, {.help = "b, added to every score", .least = -1e4, .most = 1e4});
    d.setting("subtract_log_count", subtracts_log_count_, {"subtract log n_i from every score"});
  }
  Normalised operator()(const Tensor& scores, const Tensor& count, Pass& /*pass*/) const override {
    Tensor shifted = affine(scores, 1, bias_);
    if (subtracts_log_count_) {
      // A row that sees nothing has n_i = 0; its scores are −∞ whatever is subtracted.
      shifted = shifted - log(maximum(count, 1));
    }
    return {sigmoid(shifted), {}, {}};
  }
  std::optional<LoweredNormaliser> lower() const override {
    return Streaming{.kind = Streaming::Kind::sigmoid,
                     .bias = bias_,
                     .subtract_log_count = subtracts_log_count_,
                     .divide = Streaming::Divide::nothing};
  }

 private:
  double bias_ = 0;
  bool subtracts_log_count_ = true;
};

}  // namespace

std::unique_ptr<Normaliser> sigmoid_normaliser() { return std::make_unique<SigmoidNormaliser>(); }

}  // namespace heed
