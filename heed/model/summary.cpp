#include "heed/model/summary.h"

#include <algorithm>

#include "heed/ops/arithmetic.h"
#include "heed/ops/grid.h"
#include "heed/ops/reduce.h"

namespace heed {

Tensor mean_of_rows(const Tensor& rows, const Layout& layout) {
  std::vector<float> inverse;
  for (const int32_t length : layout.lengths()) {
    inverse.push_back(1 / static_cast<float>(std::max(length, 1)));
  }
  const Tensor scale = Tensor::of(inverse, {layout.count(), 1}, rows.place().exact());
  return sum(to_grid(rows, layout), {1}) * scale;
}

}  // namespace heed
