// All steps of a recurrent layer and their gradient: a packed product and the rows' step, time after time.
// The input's part is added where the row is in the first-level cache.
#include "heed/backend/cpu/kernels.h"
#include "heed/backend/cpu/recurrent_rows.h"
#include "heed/base/error.h"
#include "heed/device/kernel/packed.h"

namespace heed::cpu {
namespace {

/// [T, …] at one time; without data stays so.
View at(const View& all, int64_t time) {
  if (all.data == nullptr) {
    return all;
  }
  const View one = sliced(all, 0, time, 1);
  return *reshaped(one, Shape(one.shape).erase(0));
}

/// [B, T, D] at one time, [B, D].
View at_of_rows(const View& all, int64_t time) {
  return all.data == nullptr ? all : at(transposed(all, 0, 1), time);
}

/// One step of a sequence.
struct Moment {
  View gates;
  View reached;  // those of the gates that W h is added to
  View hidden_before;
  View hidden;
  View cell_before;
  View cell;
};

/// The blocks of gates, or of their gradients, that W is multiplied with.
View reached_of(const RecurrentSteps& call, const View& gates) {
  const int64_t width = call.hidden.shape[2];
  return call.is_lstm ? sliced(gates, 1, 0, 4 * width) : sliced(gates, 1, width, 3 * width);
}

Moment moment_of(const RecurrentSteps& call, int64_t time) {
  const int64_t count = call.hidden.shape[0];
  const int64_t before = call.is_reversed ? time + 1 : time - 1;
  const bool is_first = before < 0 || before == count;
  const View gates = at(call.gates, time);
  return {gates,
          reached_of(call, gates),
          is_first ? call.hidden_before : at(call.hidden, before),
          at(call.hidden, time),
          is_first ? call.cell_before : at(call.cell, before),
          at(call.cell, time)};
}

void check(const RecurrentSteps& call) {
  const Shape& hidden = call.hidden.shape;
  const int64_t gates = call.is_lstm ? 4 : 3;
  require(
      hidden.rank() == 3 &&
          call.gates.shape == Shape({hidden[0], hidden[1], hidden[2] * (call.is_lstm ? 5 : 4)}) &&
          call.hidden_before.shape == Shape({hidden[1], hidden[2]}),
      "recurrent: saw states {} and gates {}, needs [T, B, H] and [T, B, K·H]", to_string(hidden),
      to_string(call.gates.shape));
  require(call.projected.data == nullptr ||
              (call.projected.shape == Shape({hidden[1], hidden[0], hidden[2] * gates}) &&
               call.projected.strides[2] == 1),
          "recurrent: saw inputs {}, needs [B, T, G·H]", to_string(call.projected.shape));
}

}  // namespace

void recurrent(const RecurrentSteps& call) {
  check(call);
  const int64_t count = call.hidden.shape[0];
  for (int64_t i = 0; i < count; ++i) {
    const int64_t time = call.is_reversed ? count - 1 - i : i;
    const Moment now = moment_of(call, time);
    multiply_packed(
        {.out = now.reached, .x = now.hidden_before, .packed = call.packed, .bias = call.bias});
    const StepOfSequence more{at_of_rows(call.projected, time), at(call.active, time),
                              now.hidden_before, at_of_rows(call.outputs, time)};
    if (call.is_lstm) {
      lstm_step({now.gates, now.cell_before, now.cell, now.hidden}, more);
    } else {
      gru_step({now.gates, now.hidden_before, now.hidden}, more);
    }
  }
}

void recurrent_gradient(const RecurrentStepsGradient& call) {
  const RecurrentSteps& steps = call.steps;
  check(steps);
  const int64_t count = steps.hidden.shape[0];
  for (int64_t i = 0; i < count; ++i) {
    const int64_t time = steps.is_reversed ? i : count - 1 - i;
    const Moment now = moment_of(steps, time);
    const View dgates = at(call.dgates, time);
    const GradientOfSequence more{at_of_rows(call.doutputs, time), at(steps.active, time),
                                  at_of_rows(call.dprojected, time)};
    if (steps.is_lstm) {
      lstm_gradient_step({now.gates, now.cell_before, call.dhidden, call.dcell, dgates, call.dcell},
                         more);
    } else {
      gru_gradient_step({now.gates, now.hidden_before, call.dhidden, dgates, call.dhidden}, more);
    }
    multiply_packed({.out = call.dhidden,
                     .x = reached_of(steps, dgates),
                     .packed = steps.packed,
                     .adds = !steps.is_lstm || steps.active.data != nullptr});
  }
}

}  // namespace heed::cpu
