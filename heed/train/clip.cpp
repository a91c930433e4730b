#include "heed/train/clip.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/train/optimiser.h"

namespace heed {
namespace {

constexpr int64_t block = 1 << 17;  // elements squared at once: they stay in the caches

/// One number for each block of the gradients: Σ g².
class SquaredBlocks {
 public:
  SquaredBlocks(int64_t blocks, const Place& place)
      : sums_(Tensor::empty({blocks}, place)), squares_(Tensor::empty({block}, place)) {}

  /// Returns where the gradient's blocks end.
  int64_t add(const Tensor& gradient) {
    const View all = dense_view(gradient.view().data, gradient.dtype(), {gradient.numel()});
    for (int64_t begin = 0; begin < gradient.numel(); begin += block) {
      const int64_t count = std::min(block, gradient.numel() - begin);
      const View part = sliced(all, 0, begin, count);
      const View squared = sliced(squares_.view(), 0, 0, count);
      const View operands[] = {part, part};
      gradient.backend().map(function<fn::Multiply>, squared, operands, {});
      gradient.backend().reduce(Reduction::sum, sliced(sums_.view(), 0, filled_++, 1), squared);
    }
    return filled_;
  }
  /// Brought to the host at once.
  std::vector<double> values() const { return sums_.values(); }

 private:
  Tensor sums_;
  Tensor squares_;
  int64_t filled_ = 0;
};

}  // namespace

GradientNorm gradient_norm(std::span<const NamedParameter> parameters) {
  struct Part {
    const NamedParameter* parameter;
    Tensor gradient;
    int64_t end = 0;
  };
  std::vector<Part> parts;
  int64_t blocks = 0;
  for (const NamedParameter& parameter : parameters) {
    if (const Tensor gradient = parameter.tensor->gradient(); gradient.defined()) {
      parts.push_back({&parameter, gradient.dense()});
      blocks += (gradient.numel() + block - 1) / block;
    }
  }
  if (parts.empty()) {
    return {};
  }
  SquaredBlocks squared(blocks, parts.front().gradient.place());
  for (Part& part : parts) {
    part.end = squared.add(part.gradient);
  }
  GradientNorm total;
  const std::vector<double> values = squared.values();
  int64_t at = 0;
  for (const Part& part : parts) {
    for (; at < part.end; ++at) {
      if (!std::isfinite(values[at]) && total.is_finite()) {
        total.first_bad = part.parameter->name;
      }
      total.norm += values[at];
    }
  }
  total.norm = std::sqrt(total.norm);
  return total;
}

void clip_gradients(std::span<const NamedParameter> parameters, const GradientNorm& norm,
                    double most) {
  if (norm.norm <= most) {
    return;
  }
  for (const NamedParameter& parameter : parameters) {
    const Tensor gradient = parameter.tensor->gradient();
    if (!gradient.defined()) {
      continue;
    }
    // In place, unless two parameters share one gradient.
    parameter.tensor->clear_gradient();
    const bool is_its_own = gradient.owns_memory_alone() && gradient.view().is_contiguous();
    const Tensor scaled = is_its_own ? gradient : Tensor::empty(gradient.shape(), gradient.place());
    update_by(function<fn::Affine>, scaled, {is_its_own ? gradient : gradient.dense()},
              {.a = most / norm.norm});
    parameter.tensor->set_gradient(scaled);
  }
}

}  // namespace heed
