#include "heed/nn/depthwise.h"

#include <cmath>

#include "heed/ops/convolve.h"
#include "heed/ops/grid.h"
#include "heed/ops/reshape.h"

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
  const Tensor grid = unsqueeze(to_grid(x, layout), 1);  // [B, 1, T, width]
  const GridWindows windows{1, weight_.size(0), 1, Padding::same()};
  return to_rows(squeeze(convolve_depthwise(grid, weight_, bias_, windows), 1), layout);
}

}  // namespace heed
