// Compares gradients with finite differences, in f64, along random directions:
//
//   L(x) = Σ r · f(x),   (L(x + h d) − L(x − h d)) / 2h   against   ⟨∇L, d⟩
//
// with random weights r and directions d (Rademacher ±1, scaled to unit length), for each input
// alone and all together.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "heed/tensor/tensor.h"

namespace heed {

struct GradcheckOptions {
  double tolerance = 1e-6;  // relative to the gradient or, if larger, to `scale_floor`
  double step = 1e-5;
  double scale_floor = 1e-2;
  int directions = 3;
  uint64_t seed = 1;
};

struct GradcheckResult {
  double worst = 0;     // the largest relative difference seen
  std::string failure;  // empty where every direction agreed
  explicit operator bool() const { return failure.empty(); }
};

/// `f` maps the inputs to any number of tensors; all except i32 ones enter L. Inputs must be f64,
/// and the call watches them.
GradcheckResult gradcheck(const std::function<std::vector<Tensor>(std::span<const Tensor>)>& f,
                          const std::vector<Tensor>& inputs, const GradcheckOptions& options = {});

/// The same for a function of one output.
GradcheckResult gradcheck(const std::function<Tensor(std::span<const Tensor>)>& f,
                          const std::vector<Tensor>& inputs, const GradcheckOptions& options = {});

}  // namespace heed
