// Gated recurrent unit (Cho et al. 2014), with r applied after the product as in PyTorch;
// u = W_n h + b_n:
//
//   r, z = σ(x + W h + b)            dn = dh' ⊙ (1 − z) ⊙ (1 − n²)
//   n = tanh(x_n + r ⊙ u)            dr = dn ⊙ u ⊙ r (1 − r),  du = dn ⊙ r
//   h' = n + z ⊙ (h − n)             dz = dh' ⊙ (h − n) ⊙ z (1 − z),  dh = dh' ⊙ z + through W
#include "heed/device/kernel/recurrent.h"
#include "heed/ops/recurrence.h"

namespace heed {
namespace {

// Kept as n, r, z, u, so that the blocks that W h is added to are together and in W's order.
class Gru : public Recurrence {
 public:
  Gru() : Recurrence("gru", {.gates = 3, .kept = 4, .reached = 1, .gradients = 4}, false, true) {}

  void add_input(const RecurrentStep& s, const View& projected) const override {
    s.backend.copy(s.gate(0), s.block(projected, 2));
    const View operands[] = {s.gate(1, 2), s.block(projected, 0, 2)};
    s.backend.map(function<fn::Add>, s.gate(1, 2), operands, {});
  }

  bool has_steps() const override { return true; }

  void forward(const RecurrentStep& s) const override {
    if (!s.backend.run_fused(GruStep{s.gates, s.hidden_before, s.hidden})) {
      compose(s);
    }
  }

  void backward(const RecurrentStep& s, const RecurrentGradient& d) const override {
    const GruGradient call{s.gates, s.hidden_before, d.dhidden, d.dgates, d.dhidden_before};
    if (!s.backend.run_fused(call)) {
      compose_gradient(s, d);
    }
  }

  Tensor projected_gradient(const Tensor& dgates) const override {
    const int64_t width = dgates.size(2) / 4;
    Tensor dx = Tensor::empty({dgates.size(1), dgates.size(0), 3 * width}, dgates.place());
    const View by_row = transposed(dgates.view(), 0, 1);
    dgates.backend().copy(sliced(dx.view(), 2, 0, 2 * width), sliced(by_row, 2, width, 2 * width));
    dgates.backend().copy(sliced(dx.view(), 2, 2 * width, width), sliced(by_row, 2, 0, width));
    return dx;
  }

 private:
  static void compose(const RecurrentStep& s) {
    const View n = s.gate(0);
    const View rz = s.gate(1, 2);
    const auto map = [&s](Function f, const View& out, std::initializer_list<View> operands) {
      s.backend.map(f, out, {operands.begin(), operands.size()}, {});
    };
    map(function<fn::Sigmoid>, rz, {rz});
    map(function<fn::MultiplyAdd>, n, {s.gate(1), s.gate(3), n});
    map(function<fn::Tanh>, n, {n});
    map(function<fn::Subtract>, s.hidden, {s.hidden_before, n});
    map(function<fn::MultiplyAdd>, s.hidden, {s.gate(2), s.hidden, n});
  }

  static void compose_gradient(const RecurrentStep& s, const RecurrentGradient& d) {
    const View n = s.gate(0);
    const View r = s.gate(1);
    const View z = s.gate(2);
    const View u = s.gate(3);
    const View dn = s.block(d.dgates, 0);
    const View dr = s.block(d.dgates, 1);
    const View dz = s.block(d.dgates, 2);
    const View du = s.block(d.dgates, 3);
    const auto map = [&s](Function f, const View& out, const View& x, const View& y) {
      const View operands[] = {x, y};
      s.backend.map(f, out, operands, {});
    };
    map(function<fn::Multiply>, d.dhidden_before, d.dhidden, z);
    map(function<fn::Subtract>, dn, d.dhidden, d.dhidden_before);
    map(function<fn::TanhGradient>, dn, dn, n);
    map(function<fn::Multiply>, du, dn, r);
    map(function<fn::Multiply>, dr, dn, u);
    map(function<fn::Subtract>, dz, s.hidden_before, n);
    map(function<fn::Multiply>, dz, dz, d.dhidden);
    map(function<fn::SigmoidGradient>, s.block(d.dgates, 1, 2), s.block(d.dgates, 1, 2),
        s.gate(1, 2));
  }
};

}  // namespace

RecurrentOutput gru(const RecurrentInput& input) {
  static const Gru cell;
  return run_over_time(cell, input);
}

}  // namespace heed
