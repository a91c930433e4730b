#include "heed/ops/recurrence.h"

#include <utility>
#include <vector>

#include "heed/ops/cast.h"
#include "heed/ops/lengths.h"
#include "heed/ops/recurrence_pass.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

void check(const Recurrence& recurrence, const RecurrentInput& input) {
  const Tensor& x = input.projected;
  const int64_t columns = input.weight.size(0);
  const int64_t width = input.weight.size(-1);
  const Place place = x.place();
  const auto fits = [&place](const Tensor& tensor, const Shape& shape) {
    return !tensor.defined() || (tensor.shape() == shape && tensor.place() == place);
  };
  require(input.weight.shape().rank() == 2 && columns == recurrence.blocks.gates * width &&
              input.weight.place() == place,
          "{}: saw a weight of shape {}, needs [{} H, H] where the input lives", recurrence.name,
          to_string(input.weight.shape()), recurrence.blocks.gates);
  require(x.rank() == 3 && x.size(1) > 0 && x.size(2) == columns,
          "{}: saw an input of shape {}, needs [B, T, {}] with T > 0", recurrence.name,
          to_string(x.shape()), columns);
  require(fits(input.bias, {columns}) && fits(input.hidden, {x.size(0), width}) &&
              fits(input.cell, {x.size(0), width}),
          "{}: saw a bias or state that does not fit, needs [{}] and [{}, {}]", recurrence.name,
          columns, x.size(0), width);
  require(!input.lengths.defined() || (input.lengths.shape() == Shape{x.size(0)} &&
                                       &input.lengths.backend() == place.backend),
          "{}: saw lengths that do not fit, needs [{}] where the input lives", recurrence.name,
          x.size(0));
}

/// All steps of a sequence share work on the weight, also with other ops that have the input's
/// products.
Multiplied products_of(const RecurrentInput& input) {
  const Tensor watched = input.weight.serves() ? Tensor() : input.weight.master();
  const bool is_recorded =
      recording({input.projected, watched, input.bias, input.hidden, input.cell});
  if (input.products == nullptr && input.projected.size(1) > 1) {
    return {watched, input.bias,
            WeightProducts(input.weight, is_recorded, std::make_shared<ProductShare>())};
  }
  return multiplied(input.weight, input.bias, is_recorded, input.products);
}

}  // namespace

RecurrentPass::RecurrentPass(const Recurrence& cell_kind, const RecurrentInput& input)
    : recurrence(cell_kind), reversed(input.reversed), by(products_of(input)) {
  const Place place = input.projected.place();
  const int64_t rows = input.projected.size(0);
  const int64_t count = input.projected.size(1);
  const int64_t columns = input.weight.size(1);
  const auto state = [&](const Tensor& given) {
    return given.defined() ? given.dense() : Tensor::zeros({rows, columns}, place);
  };
  hidden_before = state(input.hidden);
  hidden = Tensor::empty({count, rows, columns}, place);
  if (recurrence.has_cell) {
    cell_before = state(input.cell);
    cell = Tensor::empty(hidden.shape(), place);
  }
  if (input.lengths.defined()) {
    const Tensor whole = mask_of_lengths(input.lengths, count, place.dtype);
    mask = whole.seen_as(*reshaped(turned(whole.view()), {count, rows, 1}));
  }
  gates = Tensor::empty({count, rows, recurrence.blocks.kept * columns}, place);
}

RecurrentStep RecurrentPass::step(int64_t time) const {
  const int64_t before = reversed ? time + 1 : time - 1;
  const bool is_first = before < 0 || before == steps();
  RecurrentStep step{backend(), width(), at(gates, time),
                     is_first ? hidden_before.view() : at(hidden, before), at(hidden, time)};
  if (recurrence.has_cell) {
    step.cell_before = is_first ? cell_before.view() : at(cell, before);
    step.cell = at(cell, time);
  }
  return step;
}

void RecurrentPass::choose(int64_t time, const View& kept, const View& fresh,
                           const View& old) const {
  const View operands[] = {broadcast_to(at(mask, time), kept.shape), fresh,
                           broadcast_to(old, kept.shape)};
  backend().map(function<fn::Select>, kept, operands, {});
}

View RecurrentPass::reached(const View& gates_of_step, int axis) const {
  return sliced(gates_of_step, axis, recurrence.blocks.reached * width(),
                recurrence.blocks.gates * width());
}

RecurrentSteps RecurrentPass::all_steps(const View& projected, const Tensor& bias) const {
  RecurrentSteps call;
  call.is_lstm = recurrence.has_cell;
  call.is_reversed = reversed;
  call.projected = projected;
  call.bias = bias.defined() ? bias.view() : View{};
  call.active = mask.defined() ? mask.view() : View{};
  call.hidden_before = hidden_before.view();
  call.gates = gates.view();
  call.hidden = hidden.view();
  if (recurrence.has_cell) {
    call.cell_before = cell_before.view();
    call.cell = cell.view();
  }
  return call;
}

bool RecurrentPass::may_run_all() const {
  return recurrence.has_steps() && hidden.dtype() == DType::f32 && hidden.numel() > 0 &&
         backend().offers<RecurrentSteps>() && backend().offers<RecurrentStepsGradient>();
}

Tensor RecurrentPass::run_all(const RecurrentInput& input) const {
  const Tensor form = may_run_all() ? by.products.packed_weight(false) : Tensor();
  if (!form.defined()) {
    return {};
  }
  const Tensor projected = input.projected.dense();
  const Tensor bias = input.bias.defined() ? input.bias.dense() : Tensor();
  RecurrentSteps call = all_steps(projected.view(), bias);
  call.packed = form.view();
  const View by_row = turned(hidden.view());
  const Tensor outputs =
      says_all() ? hidden.seen_as(by_row) : Tensor::empty(by_row.shape, hidden.place());
  call.outputs = says_all() ? View{} : outputs.view();
  return backend().run_fused(call) ? outputs : Tensor();
}

Tensor RecurrentPass::run(const RecurrentInput& input) const {
  Tensor said = run_all(input);
  if (!said.defined()) {
    run_each(input);
    said = outputs();
  }
  if (steps() > 1) {
    by.products.release_form();
  }
  return said;
}

void RecurrentPass::run_each(const RecurrentInput& input) const {
  for (int64_t i = 0; i < steps(); ++i) {
    const int64_t time = reversed ? steps() - 1 - i : i;
    const RecurrentStep now = step(time);
    by.products.forward(reached(now.gates, 1), now.hidden_before, input.bias);
    recurrence.add_input(now, *reshaped(sliced(input.projected.view(), 1, time, 1),
                                        {batch(), input.projected.size(2)}));
    recurrence.forward(now);
    if (mask.defined()) {
      choose(time, now.hidden, now.hidden, now.hidden_before);
      if (recurrence.has_cell) {
        choose(time, now.cell, now.cell, now.cell_before);
      }
    }
  }
}

Tensor RecurrentPass::outputs() const {
  const View by_row = turned(hidden.view());
  if (says_all()) {
    return hidden.seen_as(by_row);
  }
  Tensor out = Tensor::empty(by_row.shape, hidden.place());
  if (!mask.defined()) {
    backend().copy(out.view(), by_row);
    return out;
  }
  const View operands[] = {broadcast_to(turned(mask.view()), by_row.shape), by_row};
  backend().map(function<fn::SelectOr>, out.view(), operands, {});
  return out;
}

namespace {

/// The state after the last step, copied if that avoids keeping the memory of all steps.
Tensor last(const Tensor& states, int64_t time) {
  const Tensor state = states.seen_as(at(states, time));
  return states.size(0) == 1 ? state : state.clone();
}

}  // namespace

void Recurrence::add_input(const RecurrentStep& step, const View& projected) const {
  const View gates = step.gate(0, blocks.gates);
  const View operands[] = {gates, projected};
  step.backend.map(function<fn::Add>, gates, operands, {});
}

Tensor Recurrence::projected_gradient(const Tensor& dgates) const {
  return dgates.seen_as(turned(dgates.view()));
}

namespace {

/// Computed in f32, where the cell stays; h and the outputs are stored in bf16.
RecurrentOutput run_wide(const Recurrence& recurrence, const RecurrentInput& input) {
  RecurrentInput wide = input;
  for (Tensor* each : {&wide.projected, &wide.bias, &wide.hidden, &wide.cell}) {
    *each = each->defined() ? widened(*each) : *each;
  }
  RecurrentOutput out = run_over_time(recurrence, wide);
  out.outputs = cast(out.outputs, DType::bf16);
  out.hidden = cast(out.hidden, DType::bf16);
  return out;
}

}  // namespace

RecurrentOutput run_over_time(const Recurrence& recurrence, const RecurrentInput& input) {
  if (input.projected.dtype() == DType::bf16) {
    return run_wide(recurrence, input);
  }
  check(recurrence, input);
  auto pass = std::make_shared<RecurrentPass>(recurrence, input);
  std::vector<Tensor> out = {pass->run(input), last(pass->hidden, pass->last_time())};
  if (recurrence.has_cell) {
    out.push_back(last(pass->cell, pass->last_time()));
  }
  const Tensor inputs[] = {input.projected, pass->by.weight, pass->by.bias, input.hidden,
                           input.cell};
  record(out, inputs, [pass = std::move(pass)](Gradients& g) { pass_back(*pass, g); });
  return {out[0], out[1], recurrence.has_cell ? out[2] : Tensor()};
}

}  // namespace heed
