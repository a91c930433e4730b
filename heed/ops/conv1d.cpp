#include "heed/ops/conv1d.h"

#include <optional>

#include "heed/ops/mapped.h"
#include "heed/ops/pad.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

struct Window {
  int64_t count;  // T'
  int64_t size;   // K
  int64_t stride;
  int64_t dilation;
};

Window window_of(const Tensor& x, const Tensor& weight, const Conv1dOptions& options) {
  require(x.rank() == 3 && weight.rank() == 3 && weight.size(2) == x.size(2) &&
              weight.size(1) > 0 && weight.place() == x.place(),
          "conv1d: saw x {} and weight {}, needs [B, T, C_in] and [C_out, K, C_in]", x.shape(),
          weight.shape());
  require(options.stride > 0 && options.dilation > 0,
          "conv1d: saw stride {} and dilation {}, needs 1 or more", options.stride,
          options.dilation);
  const int64_t length = x.size(1) + options.pad_left + options.pad_right;
  const int64_t reach = options.dilation * (weight.size(1) - 1) + 1;
  require(length >= reach, "conv1d: saw {} steps with padding, needs {} for a window; pad more",
          length, reach);
  return {(length - reach) / options.stride + 1, weight.size(1), options.stride, options.dilation};
}

/// [B, T, C] → [B, T', K, C] as an overlapping view, without a copy.
View unfolded(const View& x, const Window& window) {
  View out = x;
  out.shape = {x.shape[0], window.count, window.size, x.shape[2]};
  out.strides[1] = x.strides[1] * window.stride;
  out.strides[2] = x.strides[1] * window.dilation;
  out.strides[3] = x.strides[2];
  return out;
}

/// U as a matrix [B·T', K·C]. It is a copy, unless a window is one step.
Tensor windows(const Tensor& x, const Window& window) {
  const View view = unfolded(x.view(), window);
  const Shape flat = {view.shape[0] * view.shape[1], view.shape[2] * view.shape[3]};
  if (const std::optional<View> as_is = reshaped(view, flat)) {
    return x.seen_as(*as_is);
  }
  Tensor u = Tensor::empty(flat, x.place());
  x.backend().copy(dense_view(u.view().data, u.dtype(), view.shape), view);
  return u;
}

/// weight [C_out, K, C] as [C_out, K·C].
Tensor as_matrix(const Tensor& weight) {
  const Tensor w = weight.dense();
  return w.seen_as(*reshaped(w.view(), {w.size(0), w.size(1) * w.size(2)}));
}

/// dx [B, T, C] from dU [B·T', K·C]; within one k no two windows share an element.
Tensor folded_back(const Tensor& du, const Shape& shape, const Window& window) {
  Tensor dx = Tensor::zeros(shape, du.place());
  const View from =
      dense_view(du.view().data, du.dtype(), {shape[0], window.count, window.size, shape[2]});
  for (int64_t k = 0; k < window.size; ++k) {
    const Tensor to =
        dx.seen_as(sliced(dx.view(), 1, k * window.dilation, window.count, window.stride));
    const Tensor seen = du.seen_as(*reshaped(sliced(from, 2, k, 1), to.shape()));
    map_into(to, function<fn::Add>, {to, seen});
  }
  return dx;
}

}  // namespace

Tensor conv1d(const Tensor& x, const Tensor& weight, const Tensor& bias,
              const Conv1dOptions& options) {
  const Window window = window_of(x, weight, options);
  require(!bias.defined() || (bias.shape() == Shape{weight.size(0)} && bias.place() == x.place()),
          "conv1d: saw a bias that does not fit, needs [{}] where x lives", weight.size(0));
  const Tensor padded = pad(x, 1, options.pad_left, options.pad_right);
  const Tensor w = as_matrix(weight);
  const Tensor y = Tensor::empty({x.size(0), window.count, weight.size(0)}, x.place());
  const Shape flat = {x.size(0) * window.count, weight.size(0)};
  Backend& backend = x.backend();
  if (bias.defined()) {
    backend.copy(y.view(), broadcast_to(bias.view(), y.shape()));
  }
  backend.matmul(*reshaped(y.view(), flat), windows(padded, window).view(), transposed(w.view()), 1,
                 bias.defined() ? 1 : 0);
  return record(
      y, {padded, weight, bias}, [w, window, flat, input = padded.detached()](Gradients& g) {
        const Tensor dy = g.of(0).dense();
        const View rows = *reshaped(dy.view(), flat);
        if (g.wanted(0)) {
          const Tensor du = Tensor::empty({flat[0], w.size(1)}, dy.place());
          dy.backend().matmul(du.view(), rows, w.view(), 1, 0);
          g.add(0, folded_back(du, input.shape(), window));
        }
        if (g.wanted(1)) {
          const Tensor dw = g.into(1);
          const Tensor u = windows(input, window);
          dy.backend().matmul(*reshaped(dw.view(), w.shape()), transposed(rows), u.view(), 1, 1);
        }
        g.add(2, dy);
      });
}

}  // namespace heed
