// Global-norm clipping (Pascanu 2013): g ← g · min(1, c / ‖g‖), ‖g‖ over all parameters together.
//
// All gradients are reduced in one call, and their partial sums are added in order and in double, so
// the norm does not depend on threads. The optimiser multiplies by the factor where it reads g.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "heed/nn/module.h"

namespace heed {

struct GradientNorm {
  double norm = 0;
  std::string first_bad;       // the first parameter whose gradient is not finite; empty if all are
  std::vector<double> beside;  // the values of the tensors given as `beside`

  bool is_finite() const { return first_bad.empty(); }
};

/// ‖g‖; parameters without a gradient count as zero. The one number of each tensor `beside` it, a
/// loss for instance, comes to the host in the same read.
GradientNorm gradient_norm(std::span<const NamedParameter> parameters,
                           std::span<const Tensor> beside = {});

/// The factor of the gradients, min(1, most / ‖g‖).
double clip_factor(const GradientNorm& norm, double most);

}  // namespace heed
