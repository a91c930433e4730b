#include "heed/nn/linear.h"

#include "heed/ops/matmul.h"

namespace heed {

void Linear::build(int64_t in, int64_t out, Init& init) { build_blocks(1, in, out, init); }

void Linear::build_with(bool has_bias, int64_t in, int64_t out, Init& init) {
  has_bias_ = has_bias;
  build(in, out, init);
}

void Linear::build_blocks(int64_t blocks, int64_t in, int64_t out, Init& init) {
  require(in > 0 && out > 0, "linear: saw widths {} and {}, needs both above 0", in, out);
  weight_ = init.glorot(blocks, out, in);
  if (has_bias_) {
    bias_ = init.zeros({blocks * out});
  }
}

void Linear::describe(Describer& d) {
  d.weight("weight", weight_);
  d.parameter("bias", bias_);
}

Tensor Linear::operator()(const Tensor& x) const { return linear(x, weight_, bias_); }

Tensor Linear::operator()(const Tensor& x, const Pass& pass) const {
  return linear(x, weight_, bias_, {.products = pass.products()});
}

Tensor Linear::activated(const Tensor& x, const NamedActivation& f, const Pass& pass) const {
  if (f.after == AfterProduct::nothing) {
    return f.of((*this)(x, pass));
  }
  return linear(x, weight_, bias_, {.after = f.after, .products = pass.products()});
}

}  // namespace heed
