// Dropout without a mask in memory: the gradient draws the same numbers again.
#pragma once

#include "heed/device/kernel_key.h"

namespace heed {

/// y_e ← x_e / (1 − p) where the uniform number of element e is at least p, else 0. Element e draws
/// with counter e; the numbers are those of Distribution::uniform. The gradient is the same call on
/// dy. Views are f32, dense and of one shape.
struct DropoutStep {
  static constexpr const char* name = "dropout";
  View y;  // written; may be x
  View x;
  double rate = 0;  // p
  KernelKey key;
};

}  // namespace heed
