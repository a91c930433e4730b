// A RandomKey as kernels get it. Its step may be in the backend's memory, so that a recorded call
// draws other numbers each time it is run again.
#pragma once

#include "heed/base/philox.h"
#include "heed/device/view.h"

namespace heed {

struct KernelKey {
  constexpr KernelKey() = default;
  constexpr KernelKey(const RandomKey& fixed) : key(fixed) {}
  constexpr KernelKey(const RandomKey& fixed, const View& added) : key(fixed), step(added) {}

  RandomKey key;
  View step;  // i32 [2], the low and the high word of a number that is added to key.step; or none
};

}  // namespace heed
