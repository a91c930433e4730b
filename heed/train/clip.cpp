#include "heed/train/clip.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/train/optimiser.h"

namespace heed {
namespace {

constexpr int64_t block = 1 << 17;  // elements squared at once: they stay in the caches

/// Numbers made on the backend and brought to the host together.
class GatheredNumbers {
 public:
  GatheredNumbers(int64_t count, const Place& place)
      : numbers_(Tensor::empty({count}, place)), squares_(Tensor::empty({block}, place)) {}

  /// Σ g² of each block of a gradient; returns how many numbers there are now.
  int64_t add_squares(const Tensor& gradient) {
    const View all = dense_view(gradient.view().data, gradient.dtype(), {gradient.numel()});
    for (int64_t begin = 0; begin < gradient.numel(); begin += block) {
      const int64_t count = std::min(block, gradient.numel() - begin);
      const View part = sliced(all, 0, begin, count);
      const View squared = sliced(squares_.view(), 0, 0, count);
      const View operands[] = {part, part};
      gradient.backend().map(function<fn::Multiply>, squared, operands, {});
      gradient.backend().reduce(Reduction::sum, next(), squared);
    }
    return filled_;
  }
  void add(const Tensor& number) {
    number.backend().copy(next(), dense_view(number.view().data, number.dtype(), {1}));
  }
  std::vector<double> values() const { return numbers_.values(); }

 private:
  View next() { return sliced(numbers_.view(), 0, filled_++, 1); }

  Tensor numbers_;
  Tensor squares_;
  int64_t filled_ = 0;
};

struct Part {
  const NamedParameter* parameter;
  Tensor gradient;
  int64_t end = 0;  // of its numbers among all
};

std::vector<Part> parts_with_gradients(std::span<const NamedParameter> parameters) {
  std::vector<Part> parts;
  for (const NamedParameter& parameter : parameters) {
    if (const Tensor gradient = parameter.tensor->gradient(); gradient.defined()) {
      parts.push_back({&parameter, gradient.dense()});
    }
  }
  return parts;
}

}  // namespace

GradientNorm gradient_norm(std::span<const NamedParameter> parameters,
                           std::span<const Tensor> beside) {
  std::vector<Part> parts = parts_with_gradients(parameters);
  auto count = static_cast<int64_t>(beside.size());
  for (const Part& part : parts) {
    count += (part.gradient.numel() + block - 1) / block;
  }
  if (count == 0) {
    return {};
  }
  const Tensor& first = parts.empty() ? beside.front() : parts.front().gradient;
  GatheredNumbers gathered(count, first.place());
  for (Part& part : parts) {
    part.end = gathered.add_squares(part.gradient);
  }
  for (const Tensor& number : beside) {
    gathered.add(number);
  }
  GradientNorm total;
  const std::vector<double> values = gathered.values();
  size_t at = 0;
  for (const Part& part : parts) {
    for (; at < static_cast<size_t>(part.end); ++at) {
      if (!std::isfinite(values[at]) && total.is_finite()) {
        total.first_bad = part.parameter->name;
      }
      total.norm += values[at];
    }
  }
  total.norm = std::sqrt(total.norm);
  total.beside.assign(values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
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
