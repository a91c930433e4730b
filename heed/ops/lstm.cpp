// Long short-term memory (Hochreiter and Schmidhuber 1997, with forget gates); s = tanh c':
//
//   i, f, o = σ(x + W h + b)         do = dh' ⊙ s ⊙ o (1 − o)
//   g = tanh(x_g + W_g h + b_g)      δ = dc' + dh' ⊙ o ⊙ (1 − s²)
//   c' = f ⊙ c + i ⊙ g               di = δ ⊙ g ⊙ i (1 − i),  df = δ ⊙ c ⊙ f (1 − f)
//   h' = o ⊙ s                       dg = δ ⊙ i ⊙ (1 − g²),  dc = δ ⊙ f
#include "heed/device/kernel/recurrent.h"
#include "heed/ops/recurrence.h"

namespace heed {
namespace {

// Kept as i, f, g, o, s.
class Lstm : public Recurrence {
 public:
  Lstm() : Recurrence("lstm", {.gates = 4, .kept = 5, .reached = 0, .gradients = 4}, true, false) {}

  bool has_steps() const override { return true; }

  void forward(const RecurrentStep& step) const override {
    if (!step.backend.run_fused(LstmStep{step.gates, step.cell_before, step.cell, step.hidden})) {
      compose(step);
    }
  }

  void backward(const RecurrentStep& step, const RecurrentGradient& d) const override {
    const LstmGradient call{step.gates, step.cell_before, d.dhidden,
                            d.dcell,    d.dgates,         d.dcell_before};
    if (!step.backend.run_fused(call)) {
      compose_gradient(step, d);
    }
  }

 private:
  static void compose(const RecurrentStep& step) {
    const View i = step.gate(0);
    const View f = step.gate(1);
    const View g = step.gate(2);
    const View o = step.gate(3);
    const View s = step.gate(4);
    const auto map = [&step](Function function, const View& out,
                             std::initializer_list<View> operands) {
      step.backend.map(function, out, {operands.begin(), operands.size()}, {});
    };
    map(function<fn::Sigmoid>, step.gate(0, 2), {step.gate(0, 2)});
    map(function<fn::Tanh>, g, {g});
    map(function<fn::Sigmoid>, o, {o});
    map(function<fn::Multiply>, step.cell, {f, step.cell_before});
    map(function<fn::MultiplyAdd>, step.cell, {i, g, step.cell});
    map(function<fn::Tanh>, s, {step.cell});
    map(function<fn::Multiply>, step.hidden, {o, s});
  }

  static void compose_gradient(const RecurrentStep& step, const RecurrentGradient& d) {
    const View i = step.gate(0);
    const View f = step.gate(1);
    const View g = step.gate(2);
    const View o = step.gate(3);
    const View s = step.gate(4);
    const View di = step.block(d.dgates, 0);
    const View df = step.block(d.dgates, 1);
    const View dg = step.block(d.dgates, 2);
    const View d_o = step.block(d.dgates, 3);
    const View both = step.block(d.dgates, 0, 2);  // di and df
    const View& delta = d.dcell_before;            // becomes dc at the end
    const auto map = [&step](Function function, const View& out, const View& x, const View& y) {
      const View operands[] = {x, y};
      step.backend.map(function, out, operands, {});
    };
    map(function<fn::Multiply>, d_o, d.dhidden, s);
    map(function<fn::SigmoidGradient>, d_o, d_o, o);
    map(function<fn::Multiply>, delta, d.dhidden, o);
    map(function<fn::TanhGradient>, delta, delta, s);
    map(function<fn::Add>, delta, delta, d.dcell);
    map(function<fn::Multiply>, di, delta, g);
    map(function<fn::Multiply>, df, delta, step.cell_before);
    map(function<fn::SigmoidGradient>, both, both, step.gate(0, 2));
    map(function<fn::Multiply>, dg, delta, i);
    map(function<fn::TanhGradient>, dg, dg, g);
    map(function<fn::Multiply>, delta, delta, f);
  }
};

}  // namespace

RecurrentOutput lstm(const RecurrentInput& input) {
  static const Lstm cell;
  return run_over_time(cell, input);
}

}  // namespace heed
