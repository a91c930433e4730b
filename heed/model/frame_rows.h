// What fronts and encoders do with rows of numbers, sequence by sequence.
//
//   normalised   (x_t − μ) / √(σ² + ε)                         μ, σ² over the rows of a sequence
//   joined       [x_{js}; x_{js+1}; …; x_{js+k−1}]             s = stride, k = stack; zeros beyond the end
#pragma once

#include <cstdint>

#include "heed/data/field.h"

namespace heed {

/// Each number with mean 0 and variance 1 over its sequence; rows [N, D] → [N, D].
Tensor normalised(const FieldRows& source);

/// A sequence of n rows becomes ⌈n/stride⌉ rows of `stack` joined ones; [N, D] → [N′, stack · D].
FieldRows joined(const FieldRows& source, int64_t stack, int64_t stride);

}  // namespace heed
