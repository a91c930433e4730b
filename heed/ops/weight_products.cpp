#include "heed/ops/weight_products.h"

#include "heed/ops/packed.h"

namespace heed {
namespace {

/// The number of rows of dY and X that are gathered before they are multiplied; a taller product is
/// not faster (2048 × 1024 on a Neoverse-N1: 27 GFLOP/s with 64 rows, 34.5 with 256, 36 with 512).
constexpr int64_t gathered_rows = 512;

Precision used_precision(const Tensor& weight, bool is_recorded) {
  const Precision wanted = precision_of(weight);
  return is_recorded && wanted == Precision::int8 ? Precision::f32 : wanted;
}

}  // namespace

/// The state that products with one weight share.
struct WeightProducts::Several {
  Timing gradients = Timing::at_once;
  Tensor form;  // of the weight, or of its transpose
  bool is_turned = false;
  Tensor dy;  // [gathered_rows, N]
  Tensor x;   // [gathered_rows, K]
  int64_t rows = 0;
};

WeightProducts::WeightProducts(const Tensor& weight, bool is_recorded)
    : weight_(weight.detached()),
      precision_(used_precision(weight, is_recorded)),
      is_packed_(has_packed_form(weight) && has_packed_products(weight) &&
                 (precision_ != Precision::f32 || !is_recorded)) {}

void WeightProducts::expect_several(Timing gradients) {
  if (!several_) {
    several_ = std::make_shared<Several>();
    several_->gradients = gradients;
  }
}

void WeightProducts::release_form() const {
  if (several_) {
    several_->form = {};
  }
}

/// Undefined if plain products are used.
Tensor WeightProducts::packed_weight(bool is_turned) const {
  if (is_packed_) {
    return packed_form(weight_, is_turned);
  }
  if (!several_ || precision_ != Precision::f32 || !has_packed_products(weight_)) {
    return {};
  }
  if (!several_->form.defined() || several_->is_turned != is_turned) {
    several_->form =
        packed(weight_, is_turned ? transposed(weight_.view()) : weight_.view(), Precision::f32);
    several_->is_turned = is_turned;
  }
  return several_->form;
}

/// x itself, or x rounded to this precision.
Tensor WeightProducts::as_multiplied(const View& x) const {
  const Tensor plain = weight_.seen_as(x);  // only read; x is at the weight's place
  return precision_ == Precision::bf16   ? rounded_to_bf16(plain)
         : precision_ == Precision::int8 ? rounded_to_int8(plain)
                                         : plain;
}

/// out ← (out +) x b, b [K, N] with any strides.
void WeightProducts::multiply(const View& out, const View& x, const View& b, bool adds) const {
  if (x.shape[1] == 0) {
    return adds ? void() : weight_.backend().fill(out, 0);
  }
  if (precision_ == Precision::f32) {
    return weight_.backend().matmul(out, x, b, 1, adds ? 1 : 0);
  }
  const Tensor left = as_multiplied(x);
  const Tensor right = as_multiplied(transposed(b));
  weight_.backend().matmul(out, left.view(), transposed(right.view()), 1, adds ? 1 : 0);
}

void WeightProducts::multiply_packed(const PackedProduct& product) const {
  weight_.backend().run_fused(product);
}

void WeightProducts::forward(const View& y, const View& x, const Tensor& bias) const {
  if (y.numel() == 0) {
    return;
  }
  if (const Tensor form = packed_weight(false)) {
    const Tensor dense = bias.defined() ? bias.dense() : bias;
    return multiply_packed(
        {.out = y, .x = x, .packed = form.view(), .bias = dense.defined() ? dense.view() : View{}});
  }
  if (bias.defined()) {
    weight_.backend().copy(y, broadcast_to(bias.view(), y.shape));
  }
  multiply(y, x, transposed(weight_.view()), bias.defined());
}

void WeightProducts::backward(const View& dx, const View& dy, bool adds) const {
  if (dx.numel() == 0) {
    return;
  }
  if (const Tensor form = packed_weight(true)) {
    return multiply_packed({.out = dx, .x = dy, .packed = form.view(), .adds = adds});
  }
  multiply(dx, dy, weight_.view(), adds);
}

/// dw ← dyᵀ x, or added to dw.
void WeightProducts::gradient(const View& dw, const View& dy, const View& x, bool adds) const {
  if (dw.numel() == 0) {
    return;
  }
  if (is_packed_ && precision_ == Precision::bf16) {
    const Tensor form = packed(weight_, transposed(x), precision_);
    return multiply_packed({.out = dw, .x = transposed(dy), .packed = form.view(), .adds = adds});
  }
  multiply(dw, transposed(dy), x, adds);
}

void WeightProducts::add_gradient(Gradients& g, size_t input, const View& dy, const View& x) const {
  const int64_t rows = dy.shape[0];
  const bool gathers = several_ && several_->gradients == Timing::gathered && rows > 0;
  if (!gathers || rows >= gathered_rows) {
    // In place, because a weight that is used at every time step has one gradient.
    const Gradients::Target to = g.target(input);
    return gradient(to.gradient.view(), dy, x, !to.is_fresh);
  }
  if (several_->rows + rows > gathered_rows) {
    add_gathered(g, input);
  }
  const auto keep = [&](Tensor& all, const View& some) {
    if (!all.defined()) {
      all = Tensor::empty({gathered_rows, some.shape[1]}, weight_.place());
    }
    weight_.backend().copy(sliced(all.view(), 0, several_->rows, rows), some);
  };
  keep(several_->dy, dy);
  keep(several_->x, x);
  several_->rows += rows;
}

void WeightProducts::add_gathered(Gradients& g, size_t input) const {
  if (several_->rows == 0) {
    return;
  }
  const Gradients::Target to = g.target(input);
  gradient(to.gradient.view(), sliced(several_->dy.view(), 0, 0, several_->rows),
           sliced(several_->x.view(), 0, 0, several_->rows), !to.is_fresh);
  several_->rows = 0;
}

}  // namespace heed
