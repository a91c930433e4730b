// The key of all random numbers of a tensor: a RandomKey, whose step may be in a tensor.
#pragma once

#include <utility>

#include "heed/tensor/tensor.h"

namespace heed {

struct DrawKey {
  DrawKey() = default;
  DrawKey(const RandomKey& fixed) : key(fixed) {}
  DrawKey(const RandomKey& fixed, Tensor added) : key(fixed), step(std::move(added)) {}

  KernelKey for_kernel() const {
    return step.defined() ? KernelKey{key, step.view()} : KernelKey{key};
  }

  RandomKey key;
  Tensor step;  // i32 [2] as KernelKey has it, or undefined
};

}  // namespace heed
