// Softmax over rows and its gradient.
#pragma once

#include "heed/device/view.h"

namespace heed {

/// y_j ← e^(x_j − m) / Σ_k e^(x_k − m) over the last axis, m = max_k x_k. A score of −∞ gives 0, and
/// a row of −∞ gives zeros.
struct SoftmaxRows {
  static constexpr const char* name = "softmax";
  View y;  // written; may be x
  View x;
};

/// dx_j ← y_j (dy_j − Σ_k dy_k y_k) over the last axis.
struct SoftmaxGradient {
  static constexpr const char* name = "softmax_gradient";
  View dx;  // written; may be dy
  View dy;
  View y;
};

}  // namespace heed
