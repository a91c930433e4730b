#include "heed/device/kernel/convolve.h"
#include "heed/ops/convolve.h"
#include "heed/ops/mapped.h"
#include "heed/ops/matmul.h"
#include "heed/ops/reduced.h"
#include "heed/ops/rows.h"
#include "heed/ops/unfolded.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

/// Row (u, v) of a weight [height · width, C], as [C].
Tensor weight_at(const Tensor& weight, const PlacedWindows& windows, int64_t u, int64_t v) {
  const View row = sliced(weight.view(), 0, u * windows.window.width + v, 1);
  return weight.seen_as(*reshaped(row, {weight.size(1)}));
}

/// part(u, v) for every cell of a window.
template <class Body>
void each_cell(const PlacedWindows& windows, const Body& part) {
  for (int64_t u = 0; u < windows.window.height; ++u) {
    for (int64_t v = 0; v < windows.window.width; ++v) {
      part(u, v);
    }
  }
}

/// y ← bias + Σ_(u, v) weight[(u, v)] x, shifted.
void sum_of_shifts(const Tensor& y, const Tensor& x, const Tensor& weight, const Tensor& bias,
                   const PlacedWindows& windows) {
  if (bias.defined()) {
    x.backend().copy(y.view(), broadcast_to(bias.view(), y.shape()));
  } else {
    x.backend().fill(y.view(), 0);
  }
  const Tensor bordered = with_border(x, windows);
  each_cell(windows, [&](int64_t u, int64_t v) {
    const Tensor seen = cells_of_windows(bordered, windows, u, v);
    map_into(y, function<fn::MultiplyAdd>, {seen, weight_at(weight, windows, u, v), y});
  });
}

/// weight [height · width, C] with its rows the other way round.
Tensor turned_round(const Tensor& weight) {
  const int64_t rows = weight.size(0);
  Tensor turned = Tensor::empty(weight.shape(), weight.place());
  for (int64_t k = 0; k < rows; ++k) {
    weight.backend().copy(sliced(turned.view(), 0, k, 1),
                          sliced(weight.view(), 0, rows - 1 - k, 1));
  }
  return turned;
}

/// Windows that are one cell apart: dx[i, j] = Σ_(u, v) weight[(u, v)] dy[i − u d + top, j − v d + left] is a
/// depthwise convolution of dy. False if there is no kernel for it.
bool fill_gradient_of_x(const Tensor& dx, const Tensor& dy, const Tensor& weight,
                        const GridWindow& window) {
  if (window.stride != 1 || dx.dtype() != DType::f32) {
    return false;
  }
  const Tensor arrived = dy.dense();
  const Tensor turned = turned_round(weight);
  return dx.backend().run_fused(DepthwiseStep{dx.view(), arrived.view(), turned.view(),
                                              window.back(), View{}, AfterProduct::nothing});
}

/// dx by the products of every cell of a window.
void add_shifts_to(const Tensor& dx, const Tensor& dy, const Tensor& weight,
                   const PlacedWindows& windows) {
  const int64_t cells = windows.window.height * windows.window.width;
  const Tensor du =
      Tensor::empty({dx.size(0), windows.down, windows.across, cells, dx.size(3)}, dx.place());
  each_cell(windows, [&](int64_t u, int64_t v) {
    const View part = sliced(du.view(), 3, u * windows.window.width + v, 1);
    map_into(du.seen_as(*reshaped(part, dy.shape())), function<fn::Multiply>,
             {dy, weight_at(weight, windows, u, v)});
  });
  dx.backend().fill(dx.view(), 0);
  fold_into(dx, du, windows);
}

void add_gradients_of_shifts(Gradients& g, const Tensor& x, const Tensor& weight,
                             const PlacedWindows& windows) {
  const Tensor& dy = g.of(0);
  const int64_t channels = x.size(3);
  if (g.wanted(0)) {
    const Tensor dx = Tensor::empty(x.shape(), x.place());
    if (!fill_gradient_of_x(dx, dy, weight, windows.window)) {
      add_shifts_to(dx, dy, weight, windows);
    }
    g.add(0, dx);
  }
  if (g.wanted(1)) {
    const Tensor bordered = with_border(x, windows);
    const Tensor dw = g.into(1);
    each_cell(windows, [&](int64_t u, int64_t v) {
      const Tensor seen =
          mapped(function<fn::Multiply>, {dy, cells_of_windows(bordered, windows, u, v)});
      const Tensor to = weight_at(dw, windows, u, v);
      const Tensor sum = reduced(Reduction::sum, seen, {1, 1, 1, channels});
      map_into(to, function<fn::Add>, {to, shaped(sum, {channels})});
    });
  }
  g.add(2, as_rows(dy, "convolve_depthwise"));
}

}  // namespace

Tensor convolve_depthwise(const Tensor& given, const Tensor& weight, const Tensor& bias,
                          const GridWindows& shape, AfterProduct after) {
  const PlacedWindows windows = placed(shape, given.shape(), "convolve_depthwise");
  const int64_t channels = given.size(3);
  common_place(given, weight, "convolve_depthwise");
  require(weight.shape() == Shape({shape.height * shape.width, channels}),
          "convolve_depthwise: saw x {} and weight {}, needs weight [{}, {}]", given.shape(),
          weight.shape(), shape.height * shape.width, channels);
  require(!bias.defined() ||
              (bias.shape() == Shape{channels} && bias.place().exact() == weight.place().exact()),
          "convolve_depthwise: saw a bias that does not fit, needs [{}] where x lives", channels);
  const Tensor x = given.dense();
  const Tensor w = weight.dense();
  const Tensor b = bias.defined() ? bias.dense() : bias;
  Tensor y = Tensor::empty({x.size(0), windows.down, windows.across, channels}, x.place());
  const bool is_recorded = recording({given, weight, bias});
  const auto run = [&](AfterProduct f) {
    return x.dtype() == DType::f32 &&
           x.backend().run_fused(DepthwiseStep{y.view(), x.view(), w.view(), windows.window,
                                               b.defined() ? b.view() : View{}, f});
  };
  if (!is_recorded && run(after)) {
    return y;
  }
  if (!run(AfterProduct::nothing)) {
    sum_of_shifts(y, x, w, bias, windows);
  }
  return applied(after, record(y, {given, weight, bias}, [x, w, windows](Gradients& g) {
                   add_gradients_of_shifts(g, x, w, windows);
                 }));
}

}  // namespace heed
