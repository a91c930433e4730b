// Elman's recurrence (1990), a the activation:
//
//   h' = a(x + W h + b)        dgate = dh' ⊙ a'(·), from the value: 1 − y² for tanh, y > 0 for relu
#include "heed/ops/recurrence.h"

namespace heed {
namespace {

class Rnn : public Recurrence {
 public:
  Rnn(const char* kind, Function activation, Function slope)
      : Recurrence(kind, {.gates = 1, .kept = 1, .reached = 0, .sloped = 1}, false, false),
        activation_(activation),
        slope_(slope) {}

  void forward(const RecurrentStep& s) const override {
    const View gate[] = {s.gates};
    s.backend.map(activation_, s.hidden, gate, {});
  }

  void backward(const RecurrentStep& s, const RecurrentSlope& d) const override {
    const View operands[] = {d.dhidden, s.hidden};
    s.backend.map(slope_, d.dgates, operands, {});
  }

 private:
  Function activation_;
  Function slope_;
};

}  // namespace

RecurrentOutput rnn(const RecurrentInput& input, RnnActivation activation) {
  static const Rnn with_tanh("rnn", function<fn::Tanh>, function<fn::TanhSlope>);
  static const Rnn with_relu("rnn", function<fn::Relu>, function<fn::ReluSlope>);
  return run_over_time(activation == RnnActivation::tanh ? with_tanh : with_relu, input);
}

}  // namespace heed
