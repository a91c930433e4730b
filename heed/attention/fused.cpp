#include "heed/attention/fused.h"

#include <algorithm>
#include <array>
#include <utility>

#include "heed/tensor/tape.h"

namespace heed {
namespace {

/// x with dense rows, as the kernels require.
Tensor dense_inside(const Tensor& x) {
  return x.size(-1) == 1 || x.view().stride(-1) == 1 ? x.detached() : x.dense();
}

/// New memory [M, G, P, R, width] in which the heads of a row are side by side. Heads are joined,
/// and projected queries are split, in this order.
Tensor heads_side_by_side(const Shape& grid, int64_t width, const Place& place) {
  const Tensor rows = Tensor::empty({grid[0], grid[3], grid[1], grid[2], width}, place);
  const std::array order = {0, 2, 3, 1, 4};
  return rows.seen_as(permuted(rows.view(), order));
}

View view_of(const Tensor& x) { return x.defined() ? x.view() : View(); }

View stretched(const Tensor& x, const Shape& shape) {
  return x.defined() ? broadcast_to(x.view(), shape) : View();
}

const Tensor& query_of(const LoweredScore& score) {
  return std::visit([](const auto& s) -> const Tensor& { return s.query; }, score);
}
const Tensor& keys_of(const LoweredScore& score) {
  return std::visit([](const auto& s) -> const Tensor& { return s.keys; }, score);
}

/// The call's tensors without their history, as the kernels require them.
FusedCall for_kernel(FusedCall call) {
  std::visit(
      [](auto& score) {
        score.query = dense_inside(score.query);
        score.keys = dense_inside(score.keys);
        if constexpr (requires { score.v; }) {
          score.v = dense_inside(score.v);
        }
      },
      call.score);
  call.values = dense_inside(call.values);
  Where& where = call.where;
  for (Tensor* one : {&where.lo, &where.hi, &where.count, &where.bias, &where.centre}) {
    *one = one->defined() ? one->detached() : Tensor();
  }
  return call;
}

DotPairs pairs_of(const Dot& score) { return {score.scale}; }
AdditivePairs pairs_of(const Additive& score) {
  return {score.v.view(), score.activation, view_of(score.kernel_keys)};
}

/// A call that has run: the tensors that stay alive until its gradient is needed, and the kernel's
/// view of them.
struct Kept {
  FusedCall call;
  Tensor contexts, state;
  Tensor weights;  // if they are few enough to keep

  Shape grid() const { return query_of(call.score).shape().with(4, call.values.size(2)); }

  AttendStep step() const {
    const Shape all = grid();
    const Shape rows{all[0], all[1], all[2], all[3]};
    const Where& where = call.where;
    AttendStep step;
    step.score.query = query_of(call.score).view();
    step.score.keys = keys_of(call.score).view();
    std::visit([&step](const auto& score) { step.score.kind = pairs_of(score); }, call.score);
    step.normaliser = call.normaliser;
    step.where.lo = stretched(where.lo, rows);
    step.where.hi = stretched(where.hi, rows);
    step.where.count = stretched(where.count, rows);
    step.where.bias = stretched(where.bias, all);
    step.where.centre = stretched(where.centre, rows);
    step.where.sigma = where.sigma;
    step.dropout = {call.dropout.rate, call.dropout.key.for_kernel()};
    step.precision = call.precision;
    step.values = call.values.view();
    step.context = view_of(contexts);
    step.state = view_of(state);
    return step;
  }
};

/// The inputs query, keys, values, v, bias and centre in the order of the tape.
enum Input : uint8_t { of_query, of_keys, of_values, of_v, of_bias, of_centre, inputs };

std::array<Tensor, inputs> inputs_of(const FusedCall& call) {
  const auto* additive = std::get_if<Additive>(&call.score);
  return {query_of(call.score), keys_of(call.score),
          call.values,          additive != nullptr ? additive->v : Tensor(),
          call.where.bias,      call.where.centre};
}

/// The memory for a gradient [M, G, S, width] of keys or values. For a memory that is attended to
/// step by step, all gradients are added into one tensor. Otherwise it is new memory in the input's
/// order: dense, or with groups side by side as projected slots are split.
class SlotGradient {
 public:
  SlotGradient(Gradients& g, Input input, const Tensor& like, bool is_gathered)
      : g_(g), input_(input), is_gathered_(is_gathered) {
    if (!g.wanted(input)) {
      return;
    }
    if (is_gathered_) {
      to_ = g.into(input);
      return;
    }
    to_ = like.view().is_contiguous() ? Tensor::empty(like.shape(), like.place())
                                      : groups_side_by_side(like);
  }
  static Tensor groups_side_by_side(const Tensor& like) {
    const Tensor slots =
        Tensor::empty({like.size(0), like.size(2), like.size(1), like.size(3)}, like.place());
    const std::array order = {0, 2, 1, 3};
    return slots.seen_as(permuted(slots.view(), order));
  }
  View view() const { return view_of(to_); }
  void hand_in() {
    if (to_.defined() && !is_gathered_) {
      g_.add(input_, std::move(to_));
    }
    to_ = Tensor();
  }

 private:
  Gradients& g_;
  Input input_;
  bool is_gathered_;
  Tensor to_;
};

void backward(const Kept& kept, Gradients& g) {
  const Shape grid = kept.grid();
  const FusedCall& call = kept.call;
  const Tensor& query = query_of(call.score);
  const Place place = query.place();
  const Tensor dcontext = dense_inside(g.of(0));
  const Tensor dweights = call.wants_weights && g.arrived(1) ? dense_inside(g.of(1)) : Tensor();
  const auto wanted = [&](Input input, const auto& make) {
    return g.wanted(input) ? make() : Tensor();
  };
  const Tensor dquery = wanted(of_query, [&] {
    return query.view().is_contiguous() ? Tensor::empty(query.shape(), place)
                                        : heads_side_by_side(grid, query.size(4), place);
  });
  Tensor dv = wanted(of_v, [&] { return g.into(of_v); });
  const Tensor dbias = wanted(of_bias, [&] { return Tensor::empty(grid, place); });
  const Tensor dcentre = wanted(of_centre, [&] {
    return Tensor::zeros({grid[0], grid[1], grid[2], grid[3]}, place);
  });
  const bool is_gathered = call.plan.gathers_slots;
  SlotGradient dkeys(g, of_keys, keys_of(call.score), is_gathered);
  SlotGradient dvalues(g, of_values, call.values, is_gathered);
  AttendGradient gradient{.step = kept.step(),
                          .dcontext = view_of(dcontext),
                          .dweights = view_of(dweights),
                          .dquery = view_of(dquery),
                          .dkeys = dkeys.view(),
                          .dvalues = dvalues.view(),
                          .dv = view_of(dv),
                          .dbias = view_of(dbias),
                          .dcentre = view_of(dcentre),
                          .writes_slots = !is_gathered};
  gradient.step.report.weights = view_of(kept.weights);
  require(place.backend->run_fused(gradient),
          "attend: saw a backend that ran a call and then "
          "declined its gradient");
  dv = Tensor();
  dkeys.hand_in();
  dvalues.hand_in();
  for (const auto& [input, gradient] :
       {std::pair{of_query, dquery}, {of_bias, dbias}, {of_centre, dcentre}}) {
    if (gradient.defined()) {
      g.add(input, gradient);
    }
  }
}

}  // namespace

Tensor prepare_kernel_keys(const Tensor& keys, Activation activation) {
  Backend& backend = keys.backend();
  int64_t width = 0;
  if (!backend.run_fused(
          PrepareKeys{.keys = keys.view(), .activation = activation, .width = &width})) {
    return {};
  }
  Tensor prepared = Tensor::empty(keys.shape().with(3, width), keys.place());
  backend.run_fused(
      PrepareKeys{.keys = keys.view(), .activation = activation, .prepared = prepared.view()});
  return prepared;
}

std::optional<AttendPlan::Answer> plan_fused(const LoweredScore& score,
                                             const LoweredNormaliser& normaliser,
                                             const Where& where, const Tensor& values) {
  const Tensor& query = query_of(score);
  AttendPlan::Answer answer;
  const AttendPlan plan{.dtype = query.dtype(),
                        .grid = query.shape().with(4, values.size(2)),
                        .key_width = query.size(4),
                        .is_additive = std::holds_alternative<Additive>(score),
                        .has_centre = where.centre.defined(),
                        .normaliser = normaliser,
                        .answer = &answer};
  return query.backend().run_fused(plan) ? std::optional(answer) : std::nullopt;
}

FusedAttended attend_fused(FusedCall call) {
  const std::array from = inputs_of(call);
  Kept kept{for_kernel(std::move(call)), {}, {}, {}};
  const FusedCall& asked = kept.call;
  const Shape grid = kept.grid();
  const Shape rows{grid[0], grid[1], grid[2], grid[3]};
  const Place place = asked.values.place();
  const bool records =
      gradients_enabled() && std::any_of(from.begin(), from.end(), [](const Tensor& input) {
        return input.defined() && input.needs_gradient();
      });
  FusedAttended out;
  kept.contexts = heads_side_by_side(grid, asked.values.size(3), place);
  if (records) {
    kept.state = Tensor::empty(Shape(rows).push(2), place);
  }
  if (asked.wants_weights || (records && asked.plan.keeps_weights)) {
    out.weights = Tensor::empty(grid, place);
    kept.weights = records ? out.weights : Tensor();
  }
  if (asked.wants_argmax) {
    out.argmax = Tensor::empty(rows, place.with(DType::i32));
  }
  if (asked.wants_entropy) {
    out.entropy = Tensor::empty(rows, place);
  }
  AttendStep step = kept.step();
  step.report = {view_of(out.weights), view_of(out.argmax), view_of(out.entropy)};
  require(place.backend->run_fused(step),
          "attend: saw a backend that planned a call and then declined it");

  out.contexts = kept.contexts;
  if (records) {
    std::array<Tensor, 2> outputs = {out.contexts, out.weights};
    const bool reports_weights = asked.wants_weights;
    record(std::span(outputs.data(), reports_weights ? 2 : 1), from,
           [kept = std::move(kept)](Gradients& g) { backward(kept, g); });
    out.contexts = outputs[0];
    out.weights = reports_weights ? outputs[1] : Tensor();
  }
  return out;
}

}  // namespace heed
