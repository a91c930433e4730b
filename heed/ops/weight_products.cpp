#include "heed/ops/weight_products.h"

#include <utility>

#include "heed/ops/cast.h"
#include "heed/ops/packed.h"

namespace heed {
namespace {

/// The number of rows of dY and X that are gathered before they are multiplied; a taller product is
/// not faster (2048 × 1024 on a Neoverse-N1: 27 GFLOP/s with 64 rows, 34.5 with 256, 36 with 512).
constexpr int64_t gathered_rows = 512;

Precision used_precision(const Weight& weight, bool is_recorded) {
  const bool is_needed_exactly =
      is_recorded && !weight.serves() && weight.precision() == Precision::int8;
  return is_needed_exactly ? Precision::f32 : weight.precision();
}

}  // namespace

WeightProducts::WeightProducts(const Weight& weight, bool is_recorded,
                               std::shared_ptr<ProductShare> share)
    : weight_(weight),
      precision_(used_precision(weight, is_recorded)),
      is_packed_(has_packed_products(weight.place()) &&
                 (weight.serves() || share || precision_ != Precision::f32)),
      share_(std::move(share)) {}

/// Undefined if plain products are used.
Tensor WeightProducts::packed_weight(bool is_turned) const {
  if (!is_packed_) {
    return {};
  }
  if (weight_.serves() && !is_turned) {
    return weight_.served_form();
  }
  if (share_ && share_->form.defined() && share_->is_turned == is_turned) {
    return share_->form;
  }
  const Tensor matrix = weight_.matrix();
  Tensor form =
      packed(is_turned ? transposed(matrix.view()) : matrix.view(), weight_.place(), precision_);
  if (share_) {
    share_->form = form;
    share_->is_turned = is_turned;
  }
  return form;
}

/// W in the form that plain products multiply.
Tensor WeightProducts::plain_weight() const {
  return weight_.serves() ? widened(weight_.served_form())
                          : rounded(widened(weight_.matrix()), precision_);
}

/// A copy of x, rounded to this precision.
Tensor WeightProducts::rounded_copy(const View& x) const {
  const Tensor copy = Tensor::empty(x.shape, weight_.place());
  backend().copy(copy.view(), x);
  return rounded(copy, precision_);
}

/// out ← (out +) x b, where b [K, N] may have any strides and is already rounded.
void WeightProducts::multiply(const View& out, const View& x, const View& b, bool adds) const {
  if (x.shape[1] == 0) {
    return adds ? void() : backend().fill(out, 0);
  }
  if (precision_ == Precision::f32) {
    return backend().matmul(out, x, b, 1, adds ? 1 : 0);
  }
  backend().matmul(out, rounded_copy(x).view(), b, 1, adds ? 1 : 0);
}

void WeightProducts::forward(const View& y, const View& x, const Tensor& bias,
                             AfterProduct after) const {
  if (y.numel() == 0) {
    return;
  }
  if (const Tensor form = packed_weight(false)) {
    const Tensor dense = bias.defined() ? bias.dense() : bias;
    backend().run_fused(PackedProduct{.out = y,
                                      .x = x,
                                      .packed = form.view(),
                                      .bias = dense.defined() ? dense.view() : View{},
                                      .after = after});
    return;
  }
  if (bias.defined()) {
    backend().copy(y, broadcast_to(bias.view(), y.shape));
  }
  multiply(y, x, transposed(plain_weight().view()), bias.defined());
}

bool WeightProducts::convolve(ConvolveStep step, const Tensor& bias) const {
  if (!is_packed_ || step.out.numel() == 0 || !backend().offers<ConvolveStep>()) {
    return false;
  }
  const Tensor form = packed_weight(false);
  const Tensor dense = bias.defined() ? bias.dense() : bias;
  step.packed = form.view();
  step.bias = dense.defined() ? dense.view() : View{};
  return backend().run_fused(step);
}

void WeightProducts::backward(const View& dx, const View& dy, bool adds) const {
  if (dx.numel() == 0) {
    return;
  }
  if (const Tensor form = packed_weight(true)) {
    backend().run_fused(PackedProduct{.out = dx, .x = dy, .packed = form.view(), .adds = adds});
    return;
  }
  multiply(dx, dy, plain_weight().view(), adds);
}

/// dw ← dyᵀ x, or added to dw, which is shaped as the master.
void WeightProducts::gradient(const View& to, const View& dy, const View& x, bool adds) const {
  const View dw = to.rank() > 2 ? *reshaped(to, weight_.shape()) : to;
  if (dw.numel() == 0) {
    return;
  }
  if (precision_ == Precision::f32) {
    return multiply(dw, transposed(dy), x, adds);
  }
  if (is_packed_) {
    const Tensor form = packed(transposed(x), weight_.place(), precision_);
    backend().run_fused(
        PackedProduct{.out = dw, .x = transposed(dy), .packed = form.view(), .adds = adds});
    return;
  }
  multiply(dw, transposed(dy), rounded_copy(x).view(), adds);
}

void WeightProducts::add_gradient(Gradients& g, size_t input, const View& dy, const View& x) const {
  const int64_t rows = dy.shape[0];
  if (!share_ || !share_->gathers || rows == 0 || rows >= gathered_rows) {
    // In place, because a weight that is used at every time step has one gradient.
    const Gradients::Target to = g.target(input);
    return gradient(to.gradient.view(), dy, x, !to.is_fresh);
  }
  if (share_->rows + rows > gathered_rows) {
    add_gathered(g, input);
  }
  const auto keep = [&](Tensor& all, const View& some) {
    if (!all.defined()) {
      all = Tensor::empty({gathered_rows, some.shape[1]}, weight_.place());
    }
    backend().copy(sliced(all.view(), 0, share_->rows, rows), some);
  };
  keep(share_->dy, dy);
  keep(share_->x, x);
  share_->rows += rows;
}

void WeightProducts::release_form() const {
  if (share_) {
    share_->form = {};
  }
}

void WeightProducts::add_gathered(Gradients& g, size_t input) const {
  if (share_->rows == 0) {
    return;
  }
  const Gradients::Target to = g.target(input);
  gradient(to.gradient.view(), sliced(share_->dy.view(), 0, 0, share_->rows),
           sliced(share_->x.view(), 0, 0, share_->rows), !to.is_fresh);
  share_->rows = 0;
}

}  // namespace heed
