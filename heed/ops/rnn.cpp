// Elman's recurrence (1990), a the activation:
//
//   h' = a(x + W h + b)        dgate = dh' ⊙ a'(·), from the value: 1 − y² for tanh, y > 0 for relu
#include "heed/ops/recurrence.h"

namespace heed {
namespace {

class Rnn : public Recurrence {
 public:
  Rnn(const char* kind, Function activation, Function gradient)
      : Recurrence(kind, {.gates = 1, .kept = 1, .reached = 0, .gradients = 1}, false, false),
        activation_(activation),
        gradient_(gradient) {}

  void forward(const RecurrentStep& s) const override {
    const View gate[] = {s.gates};
    s.backend.map(activation_, s.hidden, gate, {});
  }

  void backward(const RecurrentStep& s, const RecurrentGradient& d) const override {
    const View operands[] = {d.dhidden, s.hidden};
    s.backend.map(gradient_, d.dgates, operands, {});
  }

 private:
  Function activation_;
  Function gradient_;
};

}  // namespace

RecurrentOutput rnn(const RecurrentInput& input, RnnActivation activation) {
  static const Rnn with_tanh("rnn", function<fn::Tanh>, function<fn::TanhGradient>);
  static const Rnn with_relu("rnn", function<fn::Relu>, function<fn::ReluGradient>);
  return run_over_time(activation == RnnActivation::tanh ? with_tanh : with_relu, input);
}

}  // namespace heed
