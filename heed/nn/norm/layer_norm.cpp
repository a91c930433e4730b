// layer_norm: y = w (x − μ) / √(σ² + ε) + b, μ and σ² the row's mean and variance (Ba 2016).
#include "heed/ops/layer_norm.h"

#include "heed/nn/norms.h"

namespace heed {
namespace {

class LayerNorm : public Norm {
 public:
  void describe(Describer& d) override {
    d.setting("epsilon", epsilon_, {.help = "added to the variance", .least = 1e-12, .most = 1});
    d.parameter("weight", weight_);
    d.parameter("bias", bias_);
  }
  void build(int64_t width, Init& init) override {
    weight_ = init.constant({width}, 1);
    bias_ = init.zeros({width});
  }
  Tensor operator()(const Tensor& x) const override {
    return layer_norm(x, weight_, bias_, epsilon_);
  }
  ResidualNormed after_residual(const Tensor& x, const Tensor& branch,
                                const BranchDropout& dropout) const override {
    return residual_norm(x, branch, dropout, {weight_, bias_, epsilon_, true});
  }

 private:
  double epsilon_ = 1e-5;
  Tensor weight_;  // w [D]
  Tensor bias_;    // b [D]
};

}  // namespace

std::unique_ptr<Norm> layer_norm() { return std::make_unique<LayerNorm>(); }

}  // namespace heed
