#include "heed/nn/convolution.h"

#include <cmath>

#include "heed/ops/convolve.h"

namespace heed {
namespace {

Weight::Use use_of(int64_t groups) {
  return groups > 1 ? Weight::Use::looked_up_too : Weight::Use::multiplied;
}

}  // namespace

void Convolution::build(int64_t in, int64_t out, const Form& form, Init& init) {
  const GridWindows& windows = form.windows;
  require(in > 0 && out > 0, "convolution: saw widths {} and {}, needs both above 0", in, out);
  require(windows.height > 0 && windows.width > 0 && windows.stride > 0 && form.groups > 0 &&
              in % form.groups == 0 && out % form.groups == 0,
          "convolution: saw windows of {} × {} by {} and {} groups of {} and {} channels, needs "
          "numbers above 0 and groups that divide both",
          windows.height, windows.width, windows.stride, form.groups, in, out);
  form_ = form;
  out_ = out;
  const int64_t cells = windows.height * windows.width;
  const auto fans = static_cast<double>(cells * (in + out)) / static_cast<double>(form.groups);
  const double bound = std::sqrt(6 / fans);
  if (form.groups > 1 && form.groups == in && in == out) {
    cells_ = init.uniform({cells, out}, bound);
  } else {
    weight_ = Weight(init.uniform({out, cells * (in / form.groups)}, bound), use_of(form.groups));
  }
  if (form.has_bias) {
    bias_ = init.zeros({out});
  }
}

void Convolution::describe(Describer& d) {
  if (is_depthwise()) {
    d.parameter("weight", cells_);
  } else {
    d.weight("weight", weight_);
  }
  d.parameter("bias", bias_);
}

void Convolution::freeze() {
  if (is_depthwise()) {
    cells_ = cells_.detached();
  } else {
    weight_ = Weight(weight_.master().detached(), use_of(form_.groups));
  }
  bias_ = bias_.defined() ? bias_.detached() : bias_;
}

bool Convolution::is_watched() const {
  return is_depthwise() ? cells_.needs_gradient()
                        : !weight_.serves() && weight_.master().needs_gradient();
}

void Convolution::set_weight(const Tensor& weight) {
  const GridWindows& windows = form_.windows;
  const int64_t cells = windows.height * windows.width;
  const int64_t in = is_depthwise() ? 1 : weight_.size(1) / cells;
  require(weight.shape() == Shape({out_, in, windows.height, windows.width}),
          "convolution: saw a weight {}, needs [{}, {}, {}, {}]", weight.shape(), out_, in,
          windows.height, windows.width);
  const Tensor from = weight.dense();
  const View by_cells = *reshaped(from.view(), {out_, in, cells});
  const Tensor& to = is_depthwise() ? cells_ : weight_.master();
  // [out, in, cells] is read as [cells, out] or as [out, cells, in].
  const View turned =
      is_depthwise() ? transposed(*reshaped(by_cells, {out_, cells})) : transposed(by_cells);
  to.backend().copy(*reshaped(to.view(), turned.shape), turned);
}

void Convolution::set_bias(const Tensor& bias) { copy_values(bias, bias_); }

Tensor Convolution::operator()(const Tensor& x, const Pass& pass) const {
  if (is_depthwise()) {
    return convolve_depthwise(x, cells_, bias_, form_.windows, form_.after);
  }
  return convolve(x, weight_, bias_,
                  {.windows = form_.windows,
                   .groups = form_.groups,
                   .after = form_.after,
                   .products = pass.products()});
}

}  // namespace heed
