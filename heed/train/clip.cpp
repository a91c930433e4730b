#include "heed/train/clip.h"

#include <cmath>
#include <vector>

#include "heed/train/optimiser.h"

namespace heed {

GradientNorm gradient_norm(std::span<const NamedParameter> parameters) {
  std::vector<const NamedParameter*> with_gradient;
  for (const NamedParameter& parameter : parameters) {
    if (parameter.tensor->gradient().defined()) {
      with_gradient.push_back(&parameter);
    }
  }
  if (with_gradient.empty()) {
    return {};
  }
  // One number a tensor, brought to the host at once.
  const Tensor squares = Tensor::empty({static_cast<int64_t>(with_gradient.size())},
                                       with_gradient.front()->tensor->place());
  for (size_t i = 0; i < with_gradient.size(); ++i) {
    const Tensor gradient = with_gradient[i]->tensor->gradient().dense();
    const Tensor square = Tensor::empty({gradient.numel()}, gradient.place());
    update_by(function<fn::Multiply>, square, {gradient, gradient});
    squares.backend().fold(Fold::sum, sliced(squares.view(), 0, static_cast<int64_t>(i), 1),
                           square.view());
  }
  GradientNorm total;
  const std::vector<double> values = squares.values();
  for (size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i]) && total.is_finite()) {
      total.first_bad = with_gradient[i]->name;
    }
    total.norm += values[i];
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
    if (gradient.defined()) {
      // Into new memory: two parameters may share one gradient.
      const Tensor scaled = Tensor::empty(gradient.shape(), gradient.place());
      update_by(function<fn::Affine>, scaled, {gradient.dense()}, {.a = most / norm.norm});
      parameter.tensor->set_gradient(scaled);
    }
  }
}

}  // namespace heed
