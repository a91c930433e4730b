#include <optional>
#include <utility>

#include "heed/ops/recurrence_pass.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

/// A gradient that may be written over: a copy where somebody else holds it.
Tensor own(const Tensor& gradient) {
  return gradient.owns_memory_alone() && gradient.view().is_contiguous() ? gradient
                                                                         : gradient.clone();
}

/// A gradient that is carried from step to step, and the memory for the next one.
struct Carried {
  Tensor now;
  Tensor next;

  Carried(Gradients& g, size_t output, const Tensor& like)
      : now(g.arrived(output) ? own(g.take(output)) : Tensor::zeros(like.shape(), like.place())),
        next(Tensor::empty(now.shape(), now.place())) {}
};

/// Goes back over time and computes dgates [T, B, gradients·H] and the gradients of the first
/// state.
class BackwardPass {
 public:
  BackwardPass(const RecurrentPass& pass, Gradients& g)
      : pass_(pass),
        dhidden_(g, 1, pass.hidden_before),
        dgates_(Tensor::empty(
            {pass.steps(), pass.batch(), pass.recurrence.blocks.gradients * pass.width()},
            pass.hidden.place())) {
    if (pass.recurrence.has_cell) {
      dcell_.emplace(g, 2, pass.hidden_before);
    }
    if (g.arrived(0)) {
      doutputs_ = g.of(0);
    }
  }

  /// `wants_input`: the gradient of projected is needed.
  void run(bool wants_input) {
    if (run_all(wants_input)) {
      return;
    }
    zero_ = Tensor::zeros({1, 1}, pass_.hidden.place());
    for (int64_t i = 0; i < pass_.steps(); ++i) {
      step(pass_.reversed ? i : pass_.steps() - 1 - i);
    }
  }
  Tensor dprojected() const {
    return dprojected_.defined() ? dprojected_ : pass_.recurrence.projected_gradient(dgates_);
  }
  const Tensor& dhidden() const { return dhidden_.now; }
  const Tensor& dcell() const { return dcell_->now; }
  void add_weight_gradients(Gradients& g) const;

 private:
  bool run_all(bool wants_input);
  void step(int64_t time);
  void add_outputs_gradient(int64_t time);
  void mask_step(int64_t time, const RecurrentGradient& gradient);

  const RecurrentPass& pass_;
  Carried dhidden_;
  std::optional<Carried> dcell_;
  Tensor doutputs_;
  Tensor dgates_;
  Tensor dprojected_;
  Tensor zero_;
};

bool BackwardPass::run_all(bool wants_input) {
  const Tensor form = pass_.may_run_all() ? pass_.by.products.packed_weight(true) : Tensor();
  if (!form.defined()) {
    return false;
  }
  const Tensor doutputs = doutputs_.defined() ? doutputs_.dense() : Tensor();
  RecurrentStepsGradient call;
  call.steps = pass_.all_steps({}, {});
  call.steps.packed = form.view();
  call.doutputs = doutputs.defined() ? doutputs.view() : View{};
  call.dhidden = dhidden_.now.view();
  call.dcell = dcell_ ? dcell_->now.view() : View{};
  call.dgates = dgates_.view();
  const bool is_by_row = pass_.recurrence.has_cell && pass_.steps() == 1;
  if (wants_input && !is_by_row) {
    const Recurrence& kind = pass_.recurrence;
    dprojected_ = Tensor::empty({pass_.batch(), pass_.steps(), kind.blocks.gates * pass_.width()},
                                pass_.hidden.place());
    call.dprojected = dprojected_.view();
  }
  const bool is_done = pass_.backend().run_fused(call);
  dprojected_ = is_done ? dprojected_ : Tensor();
  return is_done;
}

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

// dW = Σ_t dgates_tᵀ h_{t−1}, the first step with the given state, all others in one product; and
// db = Σ_t dgates_t.
void BackwardPass::add_weight_gradients(Gradients& g) const {
  using Inputs = WeightProducts::Inputs;
  const View reached = pass_.reached(dgates_.view(), 2);
  const WeightProducts& products = pass_.by.products;
  const int64_t others = pass_.steps() - 1;
  if (others == 0) {
    return products.add_gradients(g, dgates_.seen_as(joined(reached)), pass_.hidden_before);
  }
  const auto add = [&](int64_t begin, int64_t count, const View& before) {
    products.add_now(g, {.bias = Inputs::none}, joined(sliced(reached, 0, begin, count)), before);
  };
  add(pass_.reversed ? others : 0, 1, pass_.hidden_before.view());
  add(pass_.reversed ? 0 : 1, others,
      joined(sliced(pass_.hidden.view(), 0, pass_.reversed ? 1 : 0, others)));
  products.add_now(g, {.weight = Inputs::none}, joined(reached), joined(pass_.hidden.view()));
}

}  // namespace

void pass_back(const RecurrentPass& pass, Gradients& g) {
  BackwardPass back(pass, g);
  back.run(g.wanted(0));
  if (g.wanted(0)) {
    g.add(0, back.dprojected());
  }
  back.add_weight_gradients(g);
  g.add(3, back.dhidden());
  if (pass.recurrence.has_cell) {
    g.add(4, back.dcell());
  }
}

}  // namespace heed
