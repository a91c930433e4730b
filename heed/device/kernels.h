// Slots for fused kernels: plain function pointers, null where a backend has none. An op asks for
// its slot and otherwise composes the same result from the verbs, so a backend with only the verbs
// already runs every model.
#pragma once

#include "heed/device/view.h"

namespace heed {

struct Kernels {
  /// y_j ← e^(x_j − m) / Σ_k e^(x_k − m) over the last axis; −∞ gives 0, and a row of −∞ gives
  /// zeros.
  void (*softmax)(const View& y, const View& x) = nullptr;
  /// dx ← y (dy − Σ_k dy_k y_k) over the last axis.
  void (*softmax_slope)(const View& dx, const View& dy, const View& y) = nullptr;
};

}  // namespace heed
