// Losses of rows of logits and their gradient. Views are f32 unless noted; rows are dense.
#pragma once

#include "heed/device/view.h"

namespace heed {

/// Losses of rows of logits x [N, V] at targets t, with label smoothing ε, rows of x dense:
///   m = max_j x_j;  total = Σ_j e^(x_j − m);
///   loss = ln total − (1 − ε)(x_t − m) − ε/V Σ_j (x_j − m);  0 where t = −1
struct CrossEntropy {
  static constexpr const char* name = "cross_entropy";
  View losses;   // [N, 1], written
  View most;     // [N, 1] m, written
  View total;    // [N, 1], written
  View logits;   // [N, V]
  View targets;  // [N, 1] i32
  double smoothing = 0;
  View exponentials = {};  // [N, V] e^(x_j − m), written, or none
};

/// Its gradient:  dx_j = dloss (e^(x_j − m) / total − (1 − ε)[j = t] − ε/V);  0 where t = −1
struct CrossEntropyGradient {
  static constexpr const char* name = "cross_entropy_gradient";
  View dlogits;  // [N, V], written; may be the logits or the exponentials
  View dlosses;  // [N, 1]
  View logits;   // [N, V]
  View most;     // [N, 1]
  View total;    // [N, 1]
  View targets;  // [N, 1] i32
  double smoothing = 0;
  View exponentials = {};  // as the losses' kernel wrote them; if absent, they are computed again
};

}  // namespace heed
