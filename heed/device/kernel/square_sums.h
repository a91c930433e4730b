// Σ x² of many tensors at once, of a gradient's norm for instance. Views are f32 and dense.
#pragma once

#include <cstdint>
#include <span>

#include "heed/device/view.h"

namespace heed {

/// A backend leaves one or more partial sums of each tensor, as suits it; whoever reads them adds
/// them up in order and in double.
struct SquareSums {
  static constexpr const char* name = "square_sums";
  std::span<const View> tensors;
  View sums = {};             // [Σ counts], written; without data only `counts` is asked for
  int64_t* counts = nullptr;  // where given, written: how many partial sums each tensor has
};

}  // namespace heed
