// Σ x² of many tensors at once, for the norm of a gradient. Views are f32 and dense.
#pragma once

#include <cstdint>
#include <span>

#include "heed/device/view.h"

namespace heed {

/// A backend writes one or more partial sums of each tensor; the reader adds them in order and in
/// double.
struct SquareSums {
  static constexpr const char* name = "square_sums";
  std::span<const View> tensors;
  View sums = {};             // [Σ counts], written; if absent, only `counts` is written
  int64_t* counts = nullptr;  // if not null, gets the number of partial sums of each tensor
};

}  // namespace heed
