#include "heed/ops/row_maximum.h"

#include <limits>

#include "heed/ops/mapped.h"
#include "heed/ops/reduced.h"

namespace heed {

Tensor finite_above(const Tensor& x) {
  const double lowest = x.dtype() == DType::f64 ? std::numeric_limits<double>::lowest()
                                                : std::numeric_limits<float>::lowest();
  return mapped(function<fn::Clamp>, {x},
                {.a = lowest, .b = std::numeric_limits<double>::infinity()});
}

Tensor row_maximum(const Tensor& x) {
  return x.size(-1) == 0 ? Tensor::zeros(x.shape().with(-1, 1), x.place())
                         : finite_above(reduced_rows(Reduction::max, x));
}

Tensor row_total(const Tensor& e) {
  Tensor total = reduced_rows(Reduction::sum, e);
  map_into(total, function<fn::Clamp>, {total},
           {.a = 1, .b = std::numeric_limits<double>::infinity()});
  return total;
}

}  // namespace heed
