#include "heed/attention/fused.h"

#include <algorithm>
#include <array>

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

/// The tensors that must stay alive until backward, and the kernel's call with their views.
struct Kept {
  Tensor query, keys, v, values;
  Tensor kernel_keys;
  Tensor lo, hi, count, bias, centre;
  Tensor contexts, state;
  Tensor weights;  // if they are few enough to keep until backward
  double scale = 1;
  Activation activation = Activation::tanh;
  bool is_additive = false;
  LoweredNormaliser normaliser;
  double sigma = 0;
  AttendDropout dropout;
  Precision precision = Precision::f32;
  bool reports_weights = false;
  bool gathers_slots = false;

  Shape grid() const { return query.shape().with(4, values.size(2)); }

  AttendStep step() const {
    const Shape all = grid();
    const Shape rows{all[0], all[1], all[2], all[3]};
    AttendStep step;
    step.score.query = query.view();
    step.score.keys = keys.view();
    if (is_additive) {
      AdditivePairs pairs;
      pairs.v = v.view();
      pairs.activation = activation;
      pairs.prepared = view_of(kernel_keys);
      step.score.kind = pairs;
    } else {
      step.score.kind = DotPairs{scale};
    }
    step.normaliser = normaliser;
    step.where.lo = stretched(lo, rows);
    step.where.hi = stretched(hi, rows);
    step.where.count = stretched(count, rows);
    step.where.bias = stretched(bias, all);
    step.where.centre = stretched(centre, rows);
    step.where.sigma = sigma;
    step.dropout = dropout;
    step.precision = precision;
    step.values = values.view();
    step.context = view_of(contexts);
    step.state = view_of(state);
    return step;
  }
};

struct Describe {
  Kept& kept;
  void operator()(const Dot& s) const {
    kept.query = dense_inside(s.query);
    kept.keys = dense_inside(s.keys);
    kept.scale = s.scale;
  }
  void operator()(const Additive& s) const {
    kept.query = dense_inside(s.query);
    kept.keys = dense_inside(s.keys);
    kept.v = dense_inside(s.v);
    kept.activation = s.activation;
    kept.kernel_keys = s.kernel_keys;
    kept.is_additive = true;
  }
};

/// The inputs query, keys, values, v, bias and centre in the order of the tape.
enum Input : uint8_t { of_query, of_keys, of_values, of_v, of_bias, of_centre, inputs };

std::array<Tensor, inputs> inputs_of(const FusedLook& look) {
  std::array<Tensor, inputs> all;
  std::visit(
      [&](const auto& score) {
        all[of_query] = score.query;
        all[of_keys] = score.keys;
      },
      look.score);
  all[of_values] = look.values;
  if (const auto* additive = std::get_if<Additive>(&look.score)) {
    all[of_v] = additive->v;
  }
  all[of_bias] = look.where.bias;
  all[of_centre] = look.where.centre;
  return all;
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
  const Place place = kept.query.place();
  const Tensor dcontext = dense_inside(g.of(0));
  const Tensor dweights = kept.reports_weights && g.arrived(1) ? dense_inside(g.of(1)) : Tensor();
  const auto wanted = [&](Input input, const auto& make) {
    return g.wanted(input) ? make() : Tensor();
  };
  const Tensor dquery = wanted(of_query, [&] {
    return kept.query.view().is_contiguous() ? Tensor::empty(kept.query.shape(), place)
                                             : heads_side_by_side(grid, kept.query.size(4), place);
  });
  const Tensor dv = wanted(of_v, [&] { return Tensor::zeros(kept.v.shape(), place); });
  const Tensor dbias = wanted(of_bias, [&] { return Tensor::empty(grid, place); });
  const Tensor dcentre = wanted(of_centre, [&] {
    return Tensor::zeros({grid[0], grid[1], grid[2], grid[3]}, place);
  });
  const bool is_gathered = kept.gathers_slots;
  SlotGradient dkeys(g, of_keys, kept.keys, is_gathered);
  SlotGradient dvalues(g, of_values, kept.values, is_gathered);
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
  dkeys.hand_in();
  dvalues.hand_in();
  for (const auto& [input, gradient] :
       {std::pair{of_query, dquery}, {of_v, dv}, {of_bias, dbias}, {of_centre, dcentre}}) {
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
  const Tensor& query = std::visit([](const auto& s) -> const Tensor& { return s.query; }, score);
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

FusedAttended attend_fused(const FusedLook& look) {
  Kept kept;
  std::visit(Describe{kept}, look.score);
  kept.values = dense_inside(look.values);
  const Where& where = look.where;
  kept.lo = where.lo.detached();
  kept.hi = where.hi.detached();
  kept.count = where.count.detached();
  kept.bias = where.bias.defined() ? where.bias.detached() : Tensor();
  kept.centre = where.centre.defined() ? where.centre.detached() : Tensor();
  kept.sigma = where.sigma;
  kept.normaliser = look.normaliser;
  kept.dropout = look.dropout;
  kept.precision = look.precision;
  kept.reports_weights = look.wants_weights;
  kept.gathers_slots = look.plan.gathers_slots;

  const Shape grid = kept.grid();
  const Shape rows{grid[0], grid[1], grid[2], grid[3]};
  const Place place = kept.query.place();
  const std::array from = inputs_of(look);
  const bool records =
      gradients_enabled() && std::any_of(from.begin(), from.end(), [](const Tensor& input) {
        return input.defined() && input.needs_gradient();
      });
  FusedAttended out;
  kept.contexts = heads_side_by_side(grid, kept.values.size(3), place);
  if (records) {
    kept.state = Tensor::empty(Shape(rows).push(2), place);
  }
  if (look.wants_weights || (records && look.plan.keeps_weights)) {
    out.weights = Tensor::empty(grid, place);
    kept.weights = records ? out.weights : Tensor();
  }
  if (look.wants_argmax) {
    out.argmax = Tensor::empty(rows, place.with(DType::i32));
  }
  if (look.wants_entropy) {
    out.entropy = Tensor::empty(rows, place);
  }
  AttendStep step = kept.step();
  step.report = {view_of(out.weights), view_of(out.argmax), view_of(out.entropy)};
  require(place.backend->run_fused(step),
          "attend: saw a backend that planned a call and then declined it");

  out.contexts = kept.contexts;
  if (records) {
    std::array<Tensor, 2> outputs = {out.contexts, out.weights};
    const size_t count = look.wants_weights ? 2 : 1;
    record(std::span(outputs.data(), count), from,
           [kept = std::move(kept)](Gradients& g) { backward(kept, g); });
    out.contexts = outputs[0];
    out.weights = look.wants_weights ? outputs[1] : Tensor();
  }
  return out;
}

}  // namespace heed
