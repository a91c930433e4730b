// One update of Adam. Views are f32 and dense.
#pragma once

#include "heed/device/view.h"

namespace heed {

/// One update of Adam on dense views of one shape, in this order:
///
///   g ← g + pull p
///   p ← shrink p
///   m ← β₁ m + (1 − β₁) g
///   v ← β₂ v + (1 − β₂) g²
///   p ← p − rate m / (root √v + ε)
struct AdamStep {
  static constexpr const char* name = "adam";
  View p;
  View m;
  View v;
  View g;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double rate = 1e-3;  // η / (1 − β₁ᵗ)
  double root = 1;     // 1 / √(1 − β₂ᵗ)
  double pull = 0;     // λ of adam
  double shrink = 1;   // 1 − η λ of adamw
};

}  // namespace heed
