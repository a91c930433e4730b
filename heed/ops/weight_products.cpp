#include "heed/ops/weight_products.h"

#include <tuple>
#include <utility>

#include "heed/ops/cast.h"
#include "heed/ops/copies.h"
#include "heed/ops/packed.h"

namespace heed {
namespace {

Precision used_precision(const Weight& weight, bool is_recorded) {
  const bool is_needed_exactly =
      is_recorded && !weight.serves() && weight.precision() == Precision::int8;
  return is_needed_exactly ? Precision::f32 : weight.precision();
}

/// All dY and all X, one below the other.
std::pair<Tensor, Tensor> gathered(const ProductShare& share) {
  if (share.dy.size() == 1) {
    return {share.dy.front(), share.x.front()};
  }
  std::vector<CopyPair> copies;
  const auto below_each_other = [&](const std::vector<Tensor>& parts) {
    Tensor all = Tensor::empty(parts.front().shape().with(0, share.rows), parts.front().place());
    int64_t row = 0;
    for (const Tensor& part : parts) {
      copies.push_back({sliced(all.view(), 0, row, part.size(0)), part.view()});
      row += part.size(0);
    }
    return all;
  };
  const Tensor dy = below_each_other(share.dy);
  const Tensor x = below_each_other(share.x);
  copy_all(dy.backend(), copies);
  return {dy, x};
}

}  // namespace

WeightProducts::WeightProducts(const Weight& weight, bool is_recorded,
                               std::shared_ptr<ProductShare> share)
    : weight_(weight),
      precision_(used_precision(weight, is_recorded)),
      is_packed_(has_packed_products(weight.place()) &&
                 (weight.serves() || share || precision_ != Precision::f32)),
      share_(std::move(share)) {}

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

/// y in bf16 from x in bf16: rounded once, after the bias.
void WeightProducts::forward_low(const View& y, const View& x, const Tensor& bias) const {
  const Tensor sums = Tensor::empty(y.shape, weight_.place());
  if (bias.defined()) {
    backend().copy(sums.view(), broadcast_to(bias.view(), y.shape));
  }
  const Tensor form = weight_.low_form();
  multiply_low(sums.view(), x, transposed(form.view()), bias.defined());
  backend().copy(y, sums.view());
}

/// out ← (out +) a b, of which at least one is in bf16.
void WeightProducts::multiply_low(const View& out, const View& a, const View& b, bool adds) const {
  if (a.shape[1] > 0) {
    backend().matmul(out, a, b, 1, adds ? 1 : 0);
  } else if (!adds) {
    backend().fill(out, 0);
  }
}

void WeightProducts::forward(const View& y, const View& x, const Tensor& bias,
                             AfterProduct after) const {
  if (y.numel() == 0) {
    return;
  }
  if (x.dtype == DType::bf16) {
    return forward_low(y, x, bias);
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
  const Tensor plain = plain_weight();
  if (finishes()) {
    const Tensor dense = bias.defined() ? bias.dense() : bias;
    backend().run_fused(PlainProduct{.out = y,
                                     .x = x,
                                     .weight = plain.view(),
                                     .bias = dense.defined() ? dense.view() : View{},
                                     .after = after});
    return;
  }
  if (bias.defined()) {
    backend().copy(y, broadcast_to(bias.view(), y.shape));
  }
  multiply(y, x, transposed(plain.view()), bias.defined());
}

bool WeightProducts::finishes() const {
  return is_packed_ || (precision_ == Precision::f32 && weight_.place().dtype == DType::f32 &&
                        backend().offers<PlainProduct>());
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
  if (dy.dtype == DType::bf16) {
    return multiply_low(dx, dy, weight_.low_form().view(), adds);
  }
  if (const Tensor form = packed_weight(true)) {
    backend().run_fused(PackedProduct{.out = dx, .x = dy, .packed = form.view(), .adds = adds});
    return;
  }
  multiply(dx, dy, plain_weight().view(), adds);
}

/// Composed where the backend has no kernel for it.
void WeightProducts::gradient(const ProductGradient& call) const {
  const bool is_low = call.dy.dtype == DType::bf16;
  if (weight_.place().dtype == DType::f32 && !is_low && backend().run_fused(call)) {
    return;
  }
  const auto [dw, dy, x] = std::tie(call.dweight, call.dy, call.x);
  if (dw.data != nullptr && dw.numel() > 0) {
    if (is_low) {
      multiply_low(dw, transposed(dy), x, call.adds_to_weight);
    } else {
      const bool is_plain = precision_ == Precision::f32;
      multiply(dw, transposed(dy), is_plain ? x : rounded_copy(x).view(), call.adds_to_weight);
    }
  }
  if (call.dbias.data != nullptr) {
    const Tensor sum = Tensor::empty({1, dy.shape[1]}, weight_.place());
    backend().reduce(Reduction::sum, sum.view(), dy);
    const View line = *reshaped(sum.view(), call.dbias.shape);
    if (call.adds_to_bias) {
      const View both[] = {call.dbias, line};
      backend().map(function<fn::Add>, call.dbias, both, {});
    } else {
      backend().copy(call.dbias, line);
    }
  }
}

/// In place, because a weight that is used at every time step has one gradient.
void WeightProducts::add_now(Gradients& g, const Inputs& inputs, const View& dy,
                             const View& x) const {
  ProductGradient call{.dy = dy, .x = x, .precision = precision_};
  Gradients::Target weight;
  Gradients::Target bias;
  if (inputs.weight != Inputs::none && g.wanted(inputs.weight)) {
    weight = g.target(inputs.weight);
    call.dweight = *reshaped(weight.gradient.view(), weight_.shape());
    call.adds_to_weight = !weight.is_fresh;
  }
  if (inputs.bias != Inputs::none && g.wanted(inputs.bias)) {
    bias = g.target(inputs.bias);
    call.dbias = bias.gradient.view();
    call.adds_to_bias = !bias.is_fresh;
  }
  if (call.dweight.data != nullptr || call.dbias.data != nullptr) {
    gradient(call);
  }
}

void WeightProducts::add_gradients(Gradients& g, const Tensor& dy, const Tensor& x) const {
  const int64_t rows = dy.size(0);
  const int64_t most = backend().gathered_rows();
  if (!share_ || !share_->gathers || !gathers_ || rows == 0 || rows >= most) {
    return add_now(g, Inputs(), dy.view(), x.view());
  }
  if (share_->rows + rows > most) {
    add_gathered(g, Inputs());
  }
  share_->dy.push_back(dy.detached());
  share_->x.push_back(x.detached());
  share_->rows += rows;
}

WeightProducts WeightProducts::without_gathering() const {
  WeightProducts same = *this;
  same.gathers_ = false;
  return same;
}

void WeightProducts::release_form() const {
  if (share_) {
    share_->form = {};
  }
}

void WeightProducts::add_gathered(Gradients& g, const Inputs& inputs) const {
  if (share_->rows > 0) {
    const auto [dy, x] = gathered(*share_);
    share_->dy.clear();
    share_->x.clear();
    share_->rows = 0;
    add_now(g, inputs, dy.view(), x.view());
  }
}

}  // namespace heed
