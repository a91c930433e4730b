#include "heed/nn/angles.h"

#include <cmath>

#include "heed/ops/arithmetic.h"
#include "heed/ops/cast.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/lengths.h"
#include "heed/ops/reshape.h"
#include "heed/tensor/tape.h"

namespace heed {

Tensor angles(const Tensor& position, int64_t width, double base, DType dtype) {
  const NoGrad no_grad;
  const DType exact = dtype == DType::f64 ? DType::f64 : DType::f32;
  const Tensor i = positions((width + 1) / 2, position.place().with(exact));
  const Tensor frequency = exp(i * (-2 * std::log(base) / static_cast<double>(width)));
  return unsqueeze(cast(position, exact), -1) * frequency;
}

}  // namespace heed
