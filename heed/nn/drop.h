// Dropout as modules use it: only while training, with the pass's next random key.
#pragma once

#include "heed/nn/pass.h"
#include "heed/ops/dropout.h"

namespace heed {

/// The upper limit of `dropout` settings.
inline constexpr double most_dropout = 0.95;

/// Returns x itself where the pass does not train or the rate is 0.
inline Tensor drop(const Tensor& x, double rate, Pass& pass) {
  return pass.trains() && rate > 0 ? dropout(x, rate, pass.draw()) : x;
}

}  // namespace heed
