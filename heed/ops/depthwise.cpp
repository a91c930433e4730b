#include "heed/ops/depthwise.h"

#include <algorithm>

#include "heed/ops/mapped.h"
#include "heed/ops/reduced.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

/// The steps of output and input that tap k joins: output step t sees input step t + shift.
struct Overlap {
  int64_t output = 0;  // the first output step
  int64_t input = 0;
  int64_t count = 0;
};

Overlap overlap_of(int64_t k, int64_t left, int64_t steps) {
  const int64_t shift = k - left;
  const int64_t first = std::max<int64_t>(0, -shift);
  const int64_t last = std::min(steps, steps - shift);
  return {first, first + shift, std::max<int64_t>(0, last - first)};
}

Tensor steps_of(const Tensor& x, int64_t first, int64_t count) {
  return x.seen_as(sliced(x.view(), 1, first, count));
}

/// Row k of weight [K, C] as [1, 1, C].
Tensor tap_of(const Tensor& weight, int64_t k) {
  return weight.seen_as(*reshaped(sliced(weight.view(), 0, k, 1), {1, 1, weight.size(1)}));
}

/// to[b, t, c] += tap[c] from[b, t, c]
void add_product(const Tensor& to, const Tensor& tap, const Tensor& from) {
  map_into(to, function<fn::MultiplyAdd>, {from, tap, to});
}

void add_gradients(Gradients& g, const Tensor& x, const Tensor& w, int64_t left) {
  const Tensor dy = g.of(0).dense();
  const bool wants_x = g.wanted(0);
  const bool wants_weight = g.wanted(1);
  const Tensor dx = wants_x ? Tensor::zeros(x.shape(), x.place()) : Tensor();
  const Tensor dw = wants_weight ? Tensor::zeros(w.shape(), w.place()) : Tensor();
  for (int64_t k = 0; k < w.size(0); ++k) {
    const Overlap seen = overlap_of(k, left, x.size(1));
    if (seen.count == 0) {
      continue;
    }
    const Tensor arrived = steps_of(dy, seen.output, seen.count);
    if (wants_x) {
      add_product(steps_of(dx, seen.input, seen.count), tap_of(w, k), arrived);
    }
    if (wants_weight) {
      const Tensor product =
          mapped(function<fn::Multiply>, {arrived, steps_of(x, seen.input, seen.count)});
      const Tensor sum = reduced(Reduction::sum, product, {1, 1, w.size(1)});
      map_into(tap_of(dw, k), function<fn::Affine>, {sum}, {.a = 1});
    }
  }
  if (wants_x) {
    g.add(0, dx);
  }
  if (wants_weight) {
    g.add(1, dw);
  }
  g.add(2, dy);
}

}  // namespace

Tensor depthwise_conv1d(const Tensor& x, const Tensor& weight, const Tensor& bias, int64_t left) {
  require(x.rank() == 3 && weight.rank() == 2 && weight.size(1) == x.size(2) &&
              weight.size(0) > 0 && weight.place() == x.place(),
          "depthwise_conv1d: saw x {} and weight {}, needs [B, T, C] and [K, C]", x.shape(),
          weight.shape());
  require(left >= 0 && left < weight.size(0),
          "depthwise_conv1d: saw {} steps to the left of {}, needs fewer", left, weight.size(0));
  require(!bias.defined() || (bias.shape() == Shape{x.size(2)} && bias.place() == x.place()),
          "depthwise_conv1d: saw a bias that does not fit, needs [{}] where x lives", x.size(2));
  const Tensor input = x.dense();
  const Tensor w = weight.dense();
  const Tensor y = Tensor::zeros(x.shape(), x.place());
  if (bias.defined() && y.numel() > 0) {
    y.backend().copy(y.view(), broadcast_to(bias.view(), y.shape()));
  }
  for (int64_t k = 0; k < w.size(0); ++k) {
    const Overlap seen = overlap_of(k, left, x.size(1));
    if (seen.count > 0 && y.numel() > 0) {
      add_product(steps_of(y, seen.output, seen.count), tap_of(w, k),
                  steps_of(input, seen.input, seen.count));
    }
  }
  return record(y, {x, weight, bias},
                [input, w, left](Gradients& g) { add_gradients(g, input, w, left); });
}

}  // namespace heed
