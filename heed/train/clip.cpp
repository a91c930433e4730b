#include "heed/train/clip.h"

#include <cmath>
#include <numeric>
#include <vector>

#include "heed/device/kernel/square_sums.h"

namespace heed {
namespace {

struct Gradient {
  const NamedParameter* parameter;
  Tensor tensor;
};

std::vector<Gradient> gradients_of(std::span<const NamedParameter> parameters) {
  std::vector<Gradient> all;
  for (const NamedParameter& parameter : parameters) {
    if (const Tensor gradient = parameter.tensor->gradient(); gradient.defined()) {
      all.push_back({&parameter, gradient.dense()});
    }
  }
  return all;
}

/// Σ g² by primitives, one number a tensor.
void compose(std::span<const View> tensors, const Tensor& sums) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Shape flat{tensors[i].numel()};
    const View g = dense_view(tensors[i].data, tensors[i].dtype, flat);
    const Tensor squares = Tensor::empty(flat, sums.place());
    const View operands[] = {g, g};
    sums.backend().map(function<fn::Multiply>, squares.view(), operands, {});
    sums.backend().reduce(Reduction::sum, sliced(sums.view(), 0, static_cast<int64_t>(i), 1),
                          squares.view());
  }
}

/// Numbers that are computed on the backend and read by the host together.
struct Numbers {
  std::vector<int64_t> counts;  // the partial sums of each gradient
  std::vector<double> values;   // these, then the numbers beside them
};

Numbers read_together(std::span<const Gradient> gradients, std::span<const Tensor> beside,
                      const Place& place) {
  std::vector<View> views;
  for (const Gradient& one : gradients) {
    views.push_back(one.tensor.view());
  }
  Numbers read{std::vector<int64_t>(views.size(), 1), {}};
  const bool is_fused = !views.empty() && place.backend->run_fused(SquareSums{
                                              .tensors = views, .counts = read.counts.data()});
  const int64_t sums = std::accumulate(read.counts.begin(), read.counts.end(), int64_t{0});
  const Tensor all = Tensor::empty({sums + static_cast<int64_t>(beside.size())}, place);
  const Tensor front = all.seen_as(sliced(all.view(), 0, 0, sums));
  if (is_fused) {
    place.backend->run_fused(SquareSums{.tensors = views, .sums = front.view()});
  } else {
    compose(views, front);
  }
  for (size_t i = 0; i < beside.size(); ++i) {
    const View number = dense_view(beside[i].view().data, beside[i].dtype(), {1});
    place.backend->copy(sliced(all.view(), 0, sums + static_cast<int64_t>(i), 1), number);
  }
  read.values = all.values();
  return read;
}

}  // namespace

GradientNorm gradient_norm(std::span<const NamedParameter> parameters,
                           std::span<const Tensor> beside) {
  const std::vector<Gradient> gradients = gradients_of(parameters);
  if (gradients.empty() && beside.empty()) {
    return {};
  }
  const Tensor& first = gradients.empty() ? beside.front() : gradients.front().tensor;
  const Numbers numbers = read_together(gradients, beside, first.place());
  GradientNorm total;
  auto next = numbers.values.begin();
  for (size_t i = 0; i < gradients.size(); ++i) {
    for (int64_t part = 0; part < numbers.counts[i]; ++part, ++next) {
      if (!std::isfinite(*next) && total.is_finite()) {
        total.first_bad = gradients[i].parameter->name;
      }
      total.norm += *next;
    }
  }
  total.norm = std::sqrt(total.norm);
  total.beside.assign(next, numbers.values.end());
  return total;
}

double clip_factor(const GradientNorm& norm, double most) {
  return norm.norm <= most ? 1 : most / norm.norm;
}

}  // namespace heed
