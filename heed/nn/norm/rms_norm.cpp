// rms_norm: y = w x / √(mean x² + ε) (Zhang and Sennrich 2019).
#include "heed/ops/rms_norm.h"

#include "heed/nn/norms.h"

namespace heed {
namespace {

class RmsNorm : public Norm {
 public:
  void describe(Describer& d) override {
    d.setting("epsilon", epsilon_, {.help = "added to the mean square", .least = 1e-12, .most = 1});
    d.parameter("weight", weight_);
  }
  void build(int64_t width, Init& init) override { weight_ = init.constant({width}, 1); }
  Tensor operator()(const Tensor& x) const override { return rms_norm(x, weight_, epsilon_); }
  ResidualNormed after_residual(const Tensor& x, const Tensor& branch,
                                const BranchDropout& dropout) const override {
    return residual_norm(x, branch, dropout, {weight_, {}, epsilon_, false});
  }

 private:
  double epsilon_ = 1e-6;
  Tensor weight_;  // w [D]
};

}  // namespace

std::unique_ptr<Norm> rms_norm() { return std::make_unique<RmsNorm>(); }

}  // namespace heed
