#include "heed/nn/depthwise.h"

#include <cmath>

#include "heed/ops/depthwise.h"
#include "heed/ops/grid.h"

namespace heed {

void Depthwise::build(int64_t width, int64_t kernel, Init& init) {
  require(width > 0 && kernel > 0, "depthwise: saw width {} and kernel {}, needs both above 0",
          width, kernel);
  weight_ = init.uniform({kernel, width}, std::sqrt(3 / static_cast<double>(kernel)));
  bias_ = init.zeros({width});
}

void Depthwise::describe(Describer& d) {
  d.parameter("weight", weight_);
  d.parameter("bias", bias_);
}

Tensor Depthwise::operator()(const Tensor& x, const Layout& layout) const {
  if (layout.width() == 0) {
    return x;
  }
  const int64_t left = (weight_.size(0) - 1) / 2;
  return to_rows(depthwise_conv1d(to_grid(x, layout), weight_, bias_, left), layout);
}

}  // namespace heed
