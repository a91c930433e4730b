// relu: α_j = max(0, e_j), as is, or divided by n_i, or by Σ_k max(0, e_k) (0 where that sum is 0).
#include "heed/ops/relu.h"

#include "heed/attention/normalisers.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/reduce.h"
#include "heed/ops/select.h"

namespace heed {
namespace {

class ReluNormaliser : public Normaliser {
 public:
  void describe(Describer& d) override {
    d.setting("divide", divide_,
              {.help = "what the weights are divided by", .choices = {"nothing", "count", "sum"}});
  }
  Normalised operator()(const Tensor& scores, const Tensor& count, Pass& /*pass*/) const override {
    const Tensor weights = relu(scores);
    const Streaming::Divide by = divide();
    if (by == Streaming::Divide::nothing) {
      return {weights, {}, {}};
    }
    const Tensor total = by == Streaming::Divide::count ? count : sum(weights, {-1}, true);
    const Tensor one = Tensor::full({1}, 1, total.place());
    return {weights / select(total, total, one), {}, {}};
  }
  std::optional<LoweredNormaliser> lower() const override {
    return Streaming{.kind = Streaming::Kind::relu, .divide = divide()};
  }

 private:
  Streaming::Divide divide() const {
    return divide_ == "count" ? Streaming::Divide::count
           : divide_ == "sum" ? Streaming::Divide::sum
                              : Streaming::Divide::nothing;
  }
  std::string divide_ = "count";
};

}  // namespace

std::unique_ptr<Normaliser> relu_normaliser() { return std::make_unique<ReluNormaliser>(); }

}  // namespace heed
