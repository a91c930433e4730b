// A moving average of all parameters. Views are f32 and dense.
#pragma once

#include <span>

#include "heed/device/view.h"

namespace heed {

/// A parameter and its mean so far, of one shape.
struct AveragedTensor {
  View mean;
  View p;
};

/// mean ← kept mean + taken p, for each of the parameters.
struct MovingAverage {
  static constexpr const char* name = "moving_average";
  std::span<const AveragedTensor> tensors;
  View numbers;  // [2]: kept, taken; they change from update to update
};

}  // namespace heed
