// Dropout as modules use it: while training only, with the pass's next random key.
#pragma once

#include "heed/nn/pass.h"
#include "heed/ops/dropout.h"

namespace heed {

/// What a `dropout` setting may be.
inline constexpr double most_dropout = 0.95;

/// x where the pass serves or rate is 0.
inline Tensor drop(const Tensor& x, double rate, Pass& pass) {
  return pass.trains() && rate > 0 ? dropout(x, rate, pass.draw()) : x;
}

}  // namespace heed
