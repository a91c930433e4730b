// One update of Adam on all parameters. Views are f32 and dense.
#pragma once

#include <span>

#include "heed/device/view.h"

namespace heed {

/// What an update of one parameter reads and writes; all views have one shape.
struct AdamTensors {
  View p;
  View m;
  View v;
  View g;
};

/// One update of Adam, for each of the parameters in this order:
///
///   g' = scale g + pull p
///   p ← shrink p
///   m ← β₁ m + (1 − β₁) g'
///   v ← β₂ v + (1 − β₂) g'²
///   p ← p − rate m / (root √v + ε)
struct AdamStep {
  static constexpr const char* name = "adam";
  std::span<const AdamTensors> tensors;
  /// The numbers that change from update to update, [4]: scale (of a clipped gradient),
  /// rate = η / (1 − β₁ᵗ), root = 1 / √(1 − β₂ᵗ), shrink (1 − η λ of adamw).
  View numbers;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double pull = 0;  // λ of adam
};

}  // namespace heed
