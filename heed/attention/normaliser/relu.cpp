// relu: α_j = max(0, e_j), undivided, or divided by n_i or by Σ_k max(0, e_k) (0 where that sum is
// 0).
#include "heed/attention/normalisers.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/reduce.h"
#include "heed/ops/select.h"

namespace heed {
namespace {

using Divide = Streaming::Divide;

class ReluNormaliser : public Normaliser {
 public:
  void describe(Describer& d) override {
    d.setting("divide", divide_,
              {{"nothing", Divide::nothing}, {"count", Divide::count}, {"sum", Divide::sum}},
              {"what the weights are divided by"});
  }
  Normalised operator()(const Tensor& scores, const Tensor& count, Pass& /*pass*/) const override {
    const Tensor weights = relu(scores);
    if (divide_ == Divide::nothing) {
      return {weights, {}, {}};
    }
    const Tensor total = divide_ == Divide::count ? count : sum(weights, {-1}, true);
    return {weights / select(total, total, 1), {}, {}};
  }
  std::optional<LoweredNormaliser> lower() const override {
    return Streaming{.kind = Streaming::Kind::relu, .divide = divide_};
  }

 private:
  Divide divide_ = Divide::count;
};

}  // namespace

std::unique_ptr<Normaliser> relu_normaliser() { return std::make_unique<ReluNormaliser>(); }

}  // namespace heed
