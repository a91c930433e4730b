#include "heed/nn/angles.h"

#include <algorithm>
#include <cmath>

#include "heed/ops/arithmetic.h"
#include "heed/ops/cast.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/lengths.h"
#include "heed/ops/reshape.h"
#include "heed/tensor/tape.h"

namespace heed {

Tensor angles(const Tensor& position, int64_t width, double base, DType dtype,
              SlowestWave slowest) {
  const NoGrad no_grad;
  const DType exact = dtype == DType::f64 ? DType::f64 : DType::f32;
  const int64_t waves = (width + 1) / 2;
  const Tensor i = positions(waves, position.place().with(exact));
  const double step = slowest == SlowestWave::the_last
                          ? -std::log(base) / static_cast<double>(std::max<int64_t>(waves - 1, 1))
                          : -2 * std::log(base) / static_cast<double>(width);
  const Tensor frequency = exp(i * step);
  return unsqueeze(cast(position, exact), -1) * frequency;
}

}  // namespace heed
