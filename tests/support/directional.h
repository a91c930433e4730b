// Gradients of leaves that live inside modules, against finite differences along a random direction
// over all of them together: leaves are moved in place, so parameters need no plumbing.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "heed/tensor/tensor.h"

namespace heed::test {

/// `loss` computes one number (f64) from the leaves' present values, with a fresh history each
/// time. Checks (L(x + h d) − L(x − h d)) / 2h = ⟨∇L, d⟩ to `tolerance` (relative) along
/// `directions` random directions.
::testing::AssertionResult gradient_agrees(const std::vector<Tensor>& leaves,
                                           const std::function<Tensor()>& loss, int directions = 1,
                                           double tolerance = 1e-6);

}  // namespace heed::test
