#include "heed/ops/over_steps.h"

#include <vector>

#include "heed/tensor/tape.h"

namespace heed {
namespace {

/// Matrices one below the other.
Tensor stacked(const std::vector<Tensor>& parts) {
  if (parts.size() == 1) {
    return parts.front();
  }
  int64_t rows = 0;
  for (const Tensor& part : parts) {
    rows += part.size(0);
  }
  Tensor whole = Tensor::empty(parts.front().shape().with(0, rows), parts.front().place());
  int64_t row = 0;
  for (const Tensor& part : parts) {
    whole.backend().copy(sliced(whole.view(), 0, row, part.size(0)), part.view());
    row += part.size(0);
  }
  return whole;
}

}  // namespace

struct OverSteps::Terms {
  std::vector<Tensor> left;
  std::vector<Tensor> right;

  void add_to(const Tensor& sum) {
    const Tensor a = stacked(left);
    const Tensor b = stacked(right);
    left.clear();
    right.clear();
    sum.backend().matmul(sum.view(), transposed(a.view()), b.view(), 1, 1);
  }
};

OverSteps::OverSteps(const Tensor& weight) : terms_(std::make_shared<Terms>()) {
  weight_ = record(weight.detached(), {weight}, [terms = terms_](Gradients& g) {
    if (g.arrived(0)) {
      g.add(0, g.of(0));
    }
    if (!terms->left.empty()) {
      terms->add_to(g.into(0));
    }
  });
}

void OverSteps::add(const Tensor& left, const Tensor& right) const {
  require(left.rank() == 2 && right.rank() == 2 && left.size(0) == right.size(0) &&
              weight_.shape() == Shape{left.size(1), right.size(1)},
          "over steps: saw terms {} and {} of a weight {}", to_string(left.shape()),
          to_string(right.shape()), to_string(weight_.shape()));
  if (left.numel() > 0 && right.numel() > 0) {
    terms_->left.push_back(left.detached());
    terms_->right.push_back(right.detached());
  }
}

}  // namespace heed
