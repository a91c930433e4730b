#include "heed/train/gradient_tree.h"

#include <utility>

namespace heed {

void GradientTree::take() {
  Sum one{1, {}};
  one.gradients.reserve(parameters_.size());
  for (const NamedParameter& parameter : parameters_) {
    one.gradients.push_back(parameter.tensor->gradient());
    parameter.tensor->clear_gradient();
  }
  sums_.push_back(std::move(one));
  while (sums_.size() > 1 && sums_[sums_.size() - 2].batches == sums_.back().batches) {
    merge();
  }
}

void GradientTree::merge() {
  const Sum last = std::move(sums_.back());
  sums_.pop_back();
  Sum& sum = sums_.back();
  sum.batches += last.batches;
  for (size_t i = 0; i < sum.gradients.size(); ++i) {
    Tensor& to = sum.gradients[i];
    const Tensor& gradient = last.gradients[i];
    if (to.defined() && gradient.defined()) {
      const View operands[] = {to.view(), gradient.view()};
      to.backend().map(function<fn::Add>, to.view(), operands, {});
    } else if (gradient.defined()) {
      to = gradient;
    }
  }
}

void GradientTree::give() {
  while (sums_.size() > 1) {
    merge();
  }
  for (size_t i = 0; i < parameters_.size(); ++i) {
    parameters_[i].tensor->set_gradient(std::move(sums_.back().gradients[i]));
  }
  sums_.clear();
}

}  // namespace heed
