#include "heed/nn/convolution.h"

#include <cmath>

#include "heed/ops/convolve.h"
#include "heed/ops/grid.h"
#include "heed/ops/reshape.h"

namespace heed {
namespace {

Weight::Use use_of(int64_t groups) {
  return groups > 1 ? Weight::Use::looked_up_too : Weight::Use::multiplied;
}

double glorot_bound(int64_t cells, int64_t in, int64_t out, int64_t groups) {
  const auto fans = static_cast<double>(cells * (in + out)) / static_cast<double>(groups);
  return std::sqrt(6 / fans);
}

}  // namespace

void Convolution::check_and_keep(int64_t in, int64_t out, const Form& form) {
  const GridWindows& windows = form.windows;
  require(in > 0 && out > 0, "convolution: saw widths {} and {}, needs both above 0", in, out);
  require(windows.height > 0 && windows.width > 0 && windows.stride > 0 && windows.dilation > 0 &&
              form.groups > 0 && in % form.groups == 0 && out % form.groups == 0,
          "convolution: saw windows of {} × {} by {}, dilation {} and {} groups of {} and {} "
          "channels, needs numbers above 0 and groups that divide both",
          windows.height, windows.width, windows.stride, windows.dilation, form.groups, in, out);
  form_ = form;
  out_ = out;
}

void Convolution::build(int64_t in, int64_t out, const Form& form, Init& init) {
  check_and_keep(in, out, form);
  const int64_t cells = form.windows.height * form.windows.width;
  const double bound = glorot_bound(cells, in, out, form.groups);
  if (form.groups > 1 && form.groups == in && in == out) {
    cells_ = init.uniform({cells, out}, bound);
  } else {
    weight_ = Weight(init.uniform({out, cells * (in / form.groups)}, bound), use_of(form.groups));
  }
  if (form.has_bias) {
    bias_ = init.zeros({out});
  }
}

void Convolution::build_over_rows(int64_t in, int64_t out, const RowForm& form, Init& init) {
  require(!form.is_depthwise || in == out,
          "convolution: saw widths {} and {} of a depthwise one, needs equal ones", in, out);
  const int64_t reach = (form.kernel - 1) * form.dilation;
  const int64_t before = form.is_causal ? reach : reach / 2;
  const GridWindows windows{1, form.kernel, form.stride, Padding::across(before, reach - before),
                            form.dilation};
  check_and_keep(
      in, out,
      {.windows = windows, .groups = form.is_depthwise ? in : 1, .has_bias = form.has_bias});
  const double bound = glorot_bound(form.kernel, in, out, form_.groups);
  if (form.is_depthwise) {
    cells_ = init.uniform({form.kernel, out}, bound);
  } else {
    weight_ = Weight(init.uniform({out, form.kernel, in}, bound));
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

Convolution::Rows Convolution::over_rows(const Tensor& x, const Layout& layout,
                                         const Pass& pass) const {
  const int64_t stride = form_.windows.stride;
  Layout shorter = layout;
  if (stride > 1) {
    std::vector<int32_t> lengths;
    for (const int32_t length : layout.lengths()) {
      lengths.push_back(static_cast<int32_t>((length + stride - 1) / stride));
    }
    shorter = Layout::packed(lengths, x.place());
  }
  if (layout.width() == 0) {
    return {Tensor::zeros({shorter.rows(), out_}, x.place()), shorter};
  }
  const Tensor grid = unsqueeze(to_grid(x, layout), 1);  // [B, 1, W, in]
  return {to_rows(squeeze((*this)(grid, pass), 1), shorter), shorter};
}

}  // namespace heed
