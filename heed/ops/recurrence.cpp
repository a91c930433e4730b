#include "heed/ops/recurrence.h"

#include <optional>
#include <utility>
#include <vector>

#include "heed/ops/lengths.h"
#include "heed/ops/products.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

View at(const Tensor& x, int64_t index) {
  const View one = sliced(x.view(), 0, index, 1);
  return *reshaped(one, Shape(one.shape).erase(0));
}

/// [B, T, …] ↔ [T, B, …]
View turned(const View& view) { return transposed(view, 0, 1); }

/// [N, M, …] as [N·M, …], for dense views.
View joined(const View& view) {
  return *reshaped(view, {view.shape[0] * view.shape[1], view.shape[2]});
}

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

/// Everything that forward computes; it is kept for backward.
struct Pass {
  const Recurrence& recurrence;
  bool reversed;
  Multiplied by;         // the weight [gates·H, H]
  Tensor hidden_before;  // [B, H]
  Tensor cell_before;    // [B, H] or undefined
  Tensor mask;           // [T, B, 1] or undefined
  Tensor gates;          // [T, B, kept·H]
  Tensor hidden;         // [T, B, H], after each step
  Tensor cell;           // [T, B, H] or undefined

  Pass(const Recurrence& cell_kind, const RecurrentInput& input);
  int64_t steps() const { return hidden.size(0); }
  int64_t batch() const { return hidden.size(1); }
  int64_t width() const { return hidden.size(2); }
  Backend& backend() const { return hidden.backend(); }
  int64_t last_time() const { return reversed ? 0 : steps() - 1; }

  RecurrentStep step(int64_t time) const;
  /// kept ← fresh where the sequence is active at this time, else old.
  void choose(int64_t time, const View& kept, const View& fresh, const View& old) const;
  View reached(const View& gates_of_step, int axis) const;
  void run(const RecurrentInput& input) const;
  Tensor outputs() const;
};

/// All steps of a sequence share work on the weight, also with other ops that have the input's
/// products.
Multiplied products_of(const RecurrentInput& input) {
  const Tensor watched = input.weight.serves() ? Tensor() : input.weight.master();
  const bool is_recorded =
      recording({input.projected, watched, input.bias, input.hidden, input.cell});
  if (input.products == nullptr && input.projected.size(1) > 1) {
    return {watched, WeightProducts(input.weight, is_recorded, std::make_shared<ProductShare>())};
  }
  return multiplied(input.weight, is_recorded, input.products);
}

Pass::Pass(const Recurrence& cell_kind, const RecurrentInput& input)
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

RecurrentStep Pass::step(int64_t time) const {
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

void Pass::choose(int64_t time, const View& kept, const View& fresh, const View& old) const {
  const View operands[] = {broadcast_to(at(mask, time), kept.shape), fresh,
                           broadcast_to(old, kept.shape)};
  backend().map(function<fn::Select>, kept, operands, {});
}

View Pass::reached(const View& gates_of_step, int axis) const {
  return sliced(gates_of_step, axis, recurrence.blocks.reached * width(),
                recurrence.blocks.gates * width());
}

void Pass::run(const RecurrentInput& input) const {
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
  if (steps() > 1) {
    by.products.release_form();
  }
}

Tensor Pass::outputs() const {
  const View by_row = turned(hidden.view());
  if (steps() == 1 && !mask.defined()) {
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

/// The state after the last step, copied if that avoids keeping the memory of all steps.
Tensor last(const Tensor& states, int64_t time) {
  const Tensor state = states.seen_as(at(states, time));
  return states.size(0) == 1 ? state : state.clone();
}

/// A gradient that is carried from step to step, and the memory for the next one.
struct Carried {
  Tensor now;
  Tensor next;

  Carried(const Gradients& g, size_t output, const Tensor& like)
      : now(g.arrived(output) ? g.of(output).clone() : Tensor::zeros(like.shape(), like.place())),
        next(Tensor::empty(now.shape(), now.place())) {}
};

/// Goes back over time and computes dgates [T, B, gradients·H] and the gradients of the first
/// state.
class BackwardPass {
 public:
  BackwardPass(const Pass& pass, const Gradients& g)
      : pass_(pass),
        dhidden_(g, 1, pass.hidden_before),
        dgates_(Tensor::empty(
            {pass.steps(), pass.batch(), pass.recurrence.blocks.gradients * pass.width()},
            pass.hidden.place())),
        zero_(Tensor::zeros({1, 1}, pass.hidden.place())) {
    if (pass.recurrence.has_cell) {
      dcell_.emplace(g, 2, pass.hidden_before);
    }
    if (g.arrived(0)) {
      doutputs_ = g.of(0);
    }
  }

  void run() {
    for (int64_t i = 0; i < pass_.steps(); ++i) {
      step(pass_.reversed ? i : pass_.steps() - 1 - i);
    }
  }
  const Tensor& dgates() const { return dgates_; }
  const Tensor& dhidden() const { return dhidden_.now; }
  const Tensor& dcell() const { return dcell_->now; }
  void add_weight_gradient(Gradients& g) const;

 private:
  void step(int64_t time);
  void add_outputs_gradient(int64_t time);
  void mask_step(int64_t time, const RecurrentGradient& gradient);

  const Pass& pass_;
  Carried dhidden_;
  std::optional<Carried> dcell_;
  Tensor doutputs_;
  Tensor dgates_;
  Tensor zero_;
};

void BackwardPass::add_outputs_gradient(int64_t time) {
  const View dh = dhidden_.now.view();
  const View doutput = *reshaped(sliced(doutputs_.view(), 1, time, 1), dh.shape);
  if (pass_.mask.defined()) {
    const View operands[] = {broadcast_to(at(pass_.mask, time), dh.shape), doutput, dh};
    pass_.backend().map(function<fn::MultiplyAdd>, dh, operands, {});
  } else {
    const View operands[] = {dh, doutput};
    pass_.backend().map(function<fn::Add>, dh, operands, {});
  }
}

/// Rows that are not active at this time pass their gradients on unchanged.
void BackwardPass::mask_step(int64_t time, const RecurrentGradient& gradient) {
  pass_.choose(time, gradient.dgates, gradient.dgates, zero_.view());
  const View fresh = pass_.recurrence.passes_hidden
                         ? gradient.dhidden_before
                         : broadcast_to(zero_.view(), gradient.dhidden_before.shape);
  pass_.choose(time, gradient.dhidden_before, fresh, gradient.dhidden);
  if (dcell_) {
    pass_.choose(time, gradient.dcell_before, gradient.dcell_before, gradient.dcell);
  }
}

void BackwardPass::step(int64_t time) {
  if (doutputs_.defined()) {
    add_outputs_gradient(time);
  }
  RecurrentGradient gradient{at(dgates_, time), dhidden_.now.view(), dhidden_.next.view()};
  if (dcell_) {
    gradient.dcell = dcell_->now.view();
    gradient.dcell_before = dcell_->next.view();
  }
  pass_.recurrence.backward(pass_.step(time), gradient);
  if (pass_.mask.defined()) {
    mask_step(time, gradient);
  }
  const bool adds = pass_.mask.defined() || pass_.recurrence.passes_hidden;
  pass_.by.products.backward(gradient.dhidden_before, pass_.reached(gradient.dgates, 1), adds);
  std::swap(dhidden_.now, dhidden_.next);
  if (dcell_) {
    std::swap(dcell_->now, dcell_->next);
  }
}

// dW = Σ_t dgates_tᵀ h_{t−1}: the first step with the given state, all others in one product.
void BackwardPass::add_weight_gradient(Gradients& g) const {
  const View reached = pass_.reached(dgates_.view(), 2);
  const int64_t others = pass_.steps() - 1;
  const auto add = [&](int64_t begin, int64_t count, const View& before) {
    pass_.by.products.add_gradient(g, 1, joined(sliced(reached, 0, begin, count)), before);
  };
  add(pass_.reversed ? others : 0, 1, pass_.hidden_before.view());
  if (others > 0) {
    add(pass_.reversed ? 0 : 1, others,
        joined(sliced(pass_.hidden.view(), 0, pass_.reversed ? 1 : 0, others)));
  }
}

void pass_back(const Pass& pass, Gradients& g) {
  BackwardPass back(pass, g);
  back.run();
  if (g.wanted(0)) {
    g.add(0, pass.recurrence.projected_gradient(back.dgates()));
  }
  if (g.wanted(1)) {
    back.add_weight_gradient(g);
  }
  if (g.wanted(2)) {
    g.add(2, back.dgates().seen_as(pass.reached(back.dgates().view(), 2)));  // sums over T and B
  }
  g.add(3, back.dhidden());
  if (pass.recurrence.has_cell) {
    g.add(4, back.dcell());
  }
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

RecurrentOutput run_over_time(const Recurrence& recurrence, const RecurrentInput& input) {
  check(recurrence, input);
  auto pass = std::make_shared<Pass>(recurrence, input);
  pass->run(input);
  std::vector<Tensor> out = {pass->outputs(), last(pass->hidden, pass->last_time())};
  if (recurrence.has_cell) {
    out.push_back(last(pass->cell, pass->last_time()));
  }
  const Tensor inputs[] = {input.projected, pass->by.weight, input.bias, input.hidden, input.cell};
  record(out, inputs, [pass = std::move(pass)](Gradients& g) { pass_back(*pass, g); });
  return {out[0], out[1], recurrence.has_cell ? out[2] : Tensor()};
}

}  // namespace heed
