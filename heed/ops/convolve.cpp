#include "heed/ops/convolve.h"

#include <algorithm>
#include <vector>

#include "heed/ops/concat.h"
#include "heed/ops/matmul.h"
#include "heed/ops/products.h"
#include "heed/ops/rows.h"
#include "heed/ops/slice.h"
#include "heed/ops/unfolded.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

/// U of this many elements is made at a time, or of one picture if that is more.
constexpr int64_t elements_at_a_time = int64_t{1} << 23;

/// The pictures [first, first + count) of x [B, …].
Tensor pictures(const Tensor& x, int64_t first, int64_t count) {
  return x.seen_as(sliced(x.view(), 0, first, count));
}

/// The cutting of a batch into parts of a bounded size.
struct Parts {
  int64_t pictures;
  int64_t in_each;
  int64_t rows;  // of U for each picture

  Parts(const Shape& x, const PlacedWindows& windows)
      : pictures(x[0]), rows(windows.down * windows.across) {
    const int64_t size = rows * windows.window.height * windows.window.width * x[3];
    in_each = std::max<int64_t>(1, elements_at_a_time / std::max<int64_t>(1, size));
  }
  bool are_one() const { return in_each >= pictures; }
  /// part(first picture, number of pictures)
  template <class Body>
  void each(const Body& part) const {
    for (int64_t first = 0; first < pictures; first += in_each) {
      part(first, std::min(in_each, pictures - first));
    }
  }
  View rows_of(const View& all, int64_t first, int64_t count) const {
    return sliced(all, 0, first * rows, count * rows);
  }
};

void check_weight(const Tensor& x, const Weight& weight, const Tensor& bias,
                  const ConvolveOptions& options) {
  const GridWindows& windows = options.windows;
  const int64_t groups = options.groups;
  require(x.rank() == 4 && weight.place() == x.place().exact(),
          "convolve: saw x {} and a weight in another place or x of another rank, needs "
          "[B, H, W, C] where the weight is",
          x.shape());
  require(groups > 0 && x.size(3) % groups == 0 && weight.shape().rank() == 2 &&
              weight.size(0) % groups == 0 &&
              weight.size(1) == windows.height * windows.width * (x.size(3) / groups),
          "convolve: saw x {}, weight {} and {} groups, needs weight [O, {} · {} · C / groups] and "
          "groups that divide C and O",
          x.shape(), weight.shape(), groups, windows.height, windows.width);
  require(!bias.defined() ||
              (bias.shape() == Shape{weight.size(0)} && bias.place().exact() == weight.place()),
          "convolve: saw a bias that does not fit, needs [{}] where x lives", weight.size(0));
}

/// y [M, O] ← U weightᵀ + bias, or f of it if `after` is given.
void multiply_windows(const View& y, const Tensor& x, const WeightProducts& products,
                      const Tensor& bias, const PlacedWindows& windows, AfterProduct after) {
  const Parts parts(x.shape(), windows);
  parts.each([&](int64_t first, int64_t count) {
    const Tensor u = unfolded(pictures(x, first, count), windows);
    products.forward(parts.rows_of(y, first, count), u.view(), bias, after);
  });
}

/// The weight [O, height · width · C] for the way back, [C, height · width · O]: channels change
/// places, and the cells of a window are in the opposite order.
Weight turned(const Weight& weight, const GridWindow& window) {
  const Tensor master = weight.matrix();
  const int64_t cells = window.height * window.width;
  const int64_t out = weight.size(0);
  const int64_t in = weight.size(1) / cells;
  const Tensor back = Tensor::empty({in, cells * out}, master.place());
  const View from = *reshaped(master.view(), {out, cells, in});
  const View to = *reshaped(back.view(), {in, cells, out});
  for (int64_t cell = 0; cell < cells; ++cell) {
    const View own = *reshaped(sliced(to, 1, cells - 1 - cell, 1), {in, out});
    back.backend().copy(own, transposed(*reshaped(sliced(from, 1, cell, 1), {out, in})));
  }
  Weight made(back);
  made.set_precision(weight.precision());
  return made;
}

/// dx as a convolution of dy, by the backend's own kernel:
///
///   dx[b, i, j, c] = Σ_(u, v, o) w[o, (u, v, c)] dy[b, i − u d + top, j − v d + left, o]
///
/// Undefined where the stride is not 1 or there is no such kernel, and where x has so few channels that
/// tiles of the product would be padding for the most part.
Tensor convolved_back(const Tensor& dy, const Tensor& x, const Weight& weight,
                      const GridWindow& window) {
  constexpr int64_t few_channels = 4;
  if (window.stride != 1 || x.dtype() != DType::f32 || x.size(3) < few_channels ||
      !weight.has_master()) {
    return {};
  }
  const NoGrad no_gradients;
  const Tensor given = dy.dense();
  const Tensor dx = Tensor::empty(x.shape(), x.place());
  Products own;
  const Multiplied by = multiplied(turned(weight, window), {}, false, &own);
  const bool is_done = by.products.convolve(
      {dx.view(), given.view(), {}, window.back(), {}, AfterProduct::nothing}, Tensor());
  return is_done ? dx : Tensor();
}

/// dx, and what is added to the gradients of inputs 1 and 2, the weight and the bias.
void add_gradients(Gradients& g, const Tensor& x, const Weight& weight,
                   const WeightProducts& products, const PlacedWindows& windows) {
  const Tensor dy = as_rows(g.of(0), "convolve");
  const Parts parts(x.shape(), windows);
  const Tensor back = g.wanted(0) ? convolved_back(g.of(0), x, weight, windows.window) : Tensor();
  if (back.defined()) {
    g.add(0, back);
  } else if (g.wanted(0)) {
    const Tensor dx = Tensor::zeros(x.shape(), x.place());
    const int64_t columns = windows.window.height * windows.window.width * x.size(3);
    parts.each([&](int64_t first, int64_t count) {
      const Tensor du = Tensor::empty({count * parts.rows, columns}, x.place());
      products.backward(du.view(), parts.rows_of(dy.view(), first, count), false);
      fold_into(pictures(dx, first, count), du, windows);
    });
    g.add(0, dx);
  }
  if (!g.wanted(1)) {
    return g.add(2, dy);
  }
  if (parts.are_one()) {
    return products.add_gradients(g, dy, unfolded(x, windows));
  }
  parts.each([&](int64_t first, int64_t count) {
    const Tensor u = unfolded(pictures(x, first, count), windows);
    products.add_now(g, {.bias = WeightProducts::Inputs::none},
                     parts.rows_of(dy.view(), first, count), u.view());
  });
  g.add(2, dy);
}

Tensor convolve_groups(const Tensor& x, const Weight& weight, const Tensor& bias,
                       const ConvolveOptions& options) {
  const int64_t in = x.size(3) / options.groups;
  const int64_t out = weight.size(0) / options.groups;
  ConvolveOptions one = options;
  one.groups = 1;
  one.products = nullptr;  // a slice is another weight each time
  std::vector<Tensor> parts;
  for (int64_t group = 0; group < options.groups; ++group) {
    Weight own(slice(weight.master(), 0, group * out, out));
    own.set_precision(weight.precision());
    const Tensor own_bias = bias.defined() ? slice(bias, 0, group * out, out) : bias;
    parts.push_back(convolve(slice(x, 3, group * in, in), own, own_bias, one));
  }
  return concat(parts, 3);
}

}  // namespace

Tensor convolve(const Tensor& given, const Weight& weight, const Tensor& bias,
                const ConvolveOptions& options) {
  check_weight(given, weight, bias, options);
  const PlacedWindows windows = placed(options.windows, given.shape(), "convolve");
  if (options.groups > 1) {
    return convolve_groups(given, weight, bias, options);
  }
  const Tensor x = given.dense();
  const Tensor y =
      Tensor::empty({x.size(0), windows.down, windows.across, weight.size(0)}, x.place());
  const Tensor watched = weight.serves() ? Tensor() : weight.master();
  const bool is_recorded = recording({given, watched, bias});
  Products own;  // so that the weight is packed once for all parts
  const Multiplied by =
      multiplied(weight, bias, is_recorded, options.products != nullptr ? options.products : &own);
  const bool finishes = !is_recorded && by.products.finishes();
  const AfterProduct after = finishes ? options.after : AfterProduct::nothing;
  if (!by.products.convolve({y.view(), x.view(), {}, windows.window, {}, after}, bias)) {
    multiply_windows(as_rows(y, "convolve").view(), x, by.products, bias, windows, after);
  }
  const Tensor z = record(y, {given, by.weight, by.bias},
                          [x, weight, products = by.products, windows](Gradients& g) {
                            add_gradients(g, x, weight, products, windows);
                          });
  return finishes ? z : applied(options.after, z);
}

}  // namespace heed
