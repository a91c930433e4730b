#include "heed/attention/attend.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "heed/attention/attention_changes.h"
#include "heed/attention/fused.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/cast.h"
#include "heed/ops/compare.h"
#include "heed/ops/concat.h"
#include "heed/ops/dropout.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/gather.h"
#include "heed/ops/matmul.h"
#include "heed/ops/pad.h"
#include "heed/ops/permute.h"
#include "heed/ops/reduce.h"
#include "heed/ops/reshape.h"
#include "heed/ops/select.h"
#include "heed/ops/slice.h"
#include "heed/ops/topk.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

/// [M, G, P, R, …] → [N, H, …]
Tensor rows_by_head(const Tensor& grid, const Geometry& geometry) {
  Shape joined{grid.size(0), grid.size(3), grid.size(1) * grid.size(2)};
  std::vector<int> order = {0, 3, 1, 2};
  for (int axis = 4; axis < grid.rank(); ++axis) {
    joined.push(grid.size(axis));
    order.push_back(axis);
  }
  return geometry.to_rows(reshape(permute(grid, order), joined));
}

/// The rows of x [Q, …] that `index` chooses; −1 gives zeros.
Tensor chosen_rows(const Tensor& x, const std::vector<int32_t>& index) {
  Shape shape = x.shape();
  shape[0] = static_cast<int64_t>(index.size());
  const Tensor at = Tensor::of(index, {shape[0]}, x.place().with(DType::i32));
  const Tensor flat = reshape(x, {x.size(0), x.numel() / std::max<int64_t>(x.size(0), 1)});
  return reshape(gather_rows(flat, at), shape);
}

/// The past [Q, H, S'] padded to all present slots, because a cache may have grown since.
Tensor grown(const Tensor& past, int64_t slots) {
  return past.size(2) < slots ? pad(past, 2, 0, slots - past.size(2)) : past;
}

/// The past [Q, H, S'] as the grid [M, G, P, R, S].
Tensor past_grid(const Lookup& lookup, const Shape& grid) {
  if (!lookup.past.defined()) {
    return Tensor::zeros(grid, lookup.query.place().exact());
  }
  const Tensor past = grown(lookup.past, grid[4]);
  const Geometry& geometry = lookup.geometry;
  const Tensor rows =
      geometry.has_one_row_each() ? past : chosen_rows(past, sequence_of_row(geometry.queries()));
  const Tensor on_grid = geometry.to_grid(rows);  // [M, R, H, S]
  return permute(reshape(on_grid, {grid[0], grid[3], grid[1], grid[2], grid[4]}), {0, 2, 3, 1, 4});
}

/// exp(−(j − centre)² / 2σ²)
Tensor gaussian(const Where& where, const Tensor& slot) {
  const Tensor off = slot - unsqueeze(where.centre, 4);
  return exp(affine(off * off, -0.5 / (where.sigma * where.sigma), 0));
}

// −Σ p log p, with 0 log 0 = 0.
Tensor entropy_of(const Tensor& p) { return -sum(p * log(maximum(p, 1e-30)), {-1}); }

/// The inputs of both the composed and the fused operator.
struct Prepared {
  Tensor query;         // [M, G, P, R, d]
  Tensor scored_query;  // [M, G, P, R, A], as the score prepared it
  Tensor past;          // [M, G, P, R, S], if some part reads it
  Where where;
};

Prepared prepare(const Attention& how, const Lookup& lookup, const Pass& pass) {
  Prepared out;
  out.query = how.query_heads(
      lookup.projected.defined() ? lookup.projected : how.projected_query(lookup.query, pass),
      lookup.geometry);
  const int64_t slots = lookup.memory.capacity();
  if (how.reads_past()) {
    out.past = past_grid(lookup, out.query.shape().with(4, slots));
  }
  out.where = where_to_look(how.parts().focus,
                            {lookup.geometry, out.query, out.past, slots, pass.trains()});
  out.scored_query = how.parts().score.prepare_query(out.query, pass.products());
  return out;
}

struct Composed {
  Tensor contexts;  // [M, G, P, R, d]
  Tensor weights;   // tempered, [M, G, P, R, S]
  Normalised normalised;
  Tensor argmax;  // if a kernel computed them
  Tensor entropy;
};

WeightDropout dropout_of(const Attention& how, Pass& pass) {
  return pass.trains() && how.dropout() > 0 ? WeightDropout{how.dropout(), pass.draw()}
                                            : WeightDropout{};
}

/// As long as it lives, the random keys of rows are arranged on the grid like the scores: [M, R,
/// 3].
class KeysOnGrid {
 public:
  KeysOnGrid(Pass& pass, const Geometry& geometry) : pass_(pass), rows_(pass.row_keys()) {
    if (rows_.defined()) {
      pass_.exchange_row_keys(geometry.to_grid(rows_));
    }
  }
  ~KeysOnGrid() { pass_.exchange_row_keys(rows_); }
  KeysOnGrid(const KeysOnGrid&) = delete;
  KeysOnGrid& operator=(const KeysOnGrid&) = delete;

 private:
  Pass& pass_;
  Tensor rows_;
};

/// The operator as the papers define it, composed from differentiable ops. Between rows in bf16
/// scores, weights and sums are f32, and contexts are rounded once.
Composed compose(const Attention& how, const Lookup& lookup, const Prepared& prepared, Pass& pass,
                 const ChangedGrid* changed = nullptr) {
  const Attention::Parts parts = how.parts();
  const Where& where = prepared.where;
  const Tensor slot = slot_numbers(lookup.memory.capacity(), prepared.query);
  const Tensor open = within(slot, unsqueeze(where.lo, 4), unsqueeze(where.hi, 4));
  Tensor scores =
      parts.score(widened(prepared.scored_query), widened(lookup.memory.keys), prepared.past);
  if (where.bias.defined()) {
    scores = scores + where.bias;
  }
  const double closed = -std::numeric_limits<double>::infinity();
  Tensor narrowed = select(open, scores, closed);
  if (changed != nullptr) {
    narrowed = select(changed->closed, closed, narrowed);
  }

  Composed out;
  const KeysOnGrid keys(pass, lookup.geometry);
  out.normalised = parts.normaliser(narrowed, unsqueeze(where.count, 4), pass);
  out.weights = out.normalised.weights;
  if (where.centre.defined()) {
    out.weights = out.weights * gaussian(where, slot);
  }
  if (changed != nullptr) {
    // Where all slots are closed, no weight is a number.
    out.weights = select(equal(out.weights, out.weights), out.weights, 0);
    out.weights = select(changed->is_given, changed->given, out.weights);
  }
  Tensor used = out.weights;
  const WeightDropout drops = dropout_of(how, pass);
  if (drops.rate > 0) {
    used = dropout(used, drops.rate, drops.key);
  }
  const Tensor values = unsqueeze(widened(lookup.memory.values), 2);
  out.contexts = cast(matmul(used, values), lookup.memory.values.dtype());
  return out;
}

/// The same by the backend's kernel, if there is one and every part has a description for it.
std::optional<Composed> fuse(const Attention& how, const Lookup& lookup, const Prepared& prepared,
                             Pass& pass) {
  const auto normaliser = how.parts().normaliser.lower();
  if (!normaliser || !prepared.query.backend().offers<AttendPlan>()) {
    return std::nullopt;
  }
  auto score = how.parts().score.lower(prepared.scored_query, lookup.memory.keys);
  if (!score) {
    return std::nullopt;
  }
  const auto plan = plan_fused(*score, *normaliser, prepared.where, lookup.memory.values);
  if (!plan) {
    return std::nullopt;
  }
  if (auto* additive = std::get_if<Additive>(&*score)) {
    additive->kernel_keys = lookup.memory.kernel_keys;
  }
  const Report& asked = lookup.report;
  // An entropy that may need a gradient is computed from the weights.
  const bool entropy_by_weights = asked.entropy && gradients_enabled();
  const FusedAttended seen =
      attend_fused({.score = *score,
                    .normaliser = *normaliser,
                    .where = prepared.where,
                    .values = lookup.memory.values,
                    .plan = *plan,
                    .dropout = dropout_of(how, pass),
                    .precision = how.precision(),
                    .wants_weights = asked.weights || asked.distribution || asked.topk > 0 ||
                                     how.reads_past() || entropy_by_weights,
                    .wants_argmax = asked.argmax,
                    .wants_entropy = asked.entropy && !entropy_by_weights});
  return Composed{seen.contexts, seen.weights, {}, seen.argmax, seen.entropy};
}

Tensor chosen_heads(const Tensor& rows, const std::vector<int>& heads) {
  if (heads.empty()) {
    return rows;
  }
  std::vector<Tensor> chosen;
  for (const int head : heads) {
    chosen.push_back(
        slice(rows, 1, checked_axis(head, static_cast<int>(rows.size(1)), "report"), 1));
  }
  return concat(chosen, 1);
}

void fill_report(Attended& out, const Composed& composed, const Lookup& lookup) {
  const Report& asked = lookup.report;
  const Normalised& normalised = composed.normalised;
  const auto by_head = [&](const Tensor& grid) {
    return chosen_heads(rows_by_head(grid, lookup.geometry), asked.heads);
  };
  if (asked.argmax && composed.argmax.defined()) {
    out.argmax = by_head(composed.argmax);
  }
  const bool seeks_argmax = asked.argmax && !out.argmax.defined();
  if (asked.weights || seeks_argmax || asked.topk > 0) {
    const Tensor weights = by_head(composed.weights);
    if (asked.weights) {
      out.weights = weights;
    }
    if (seeks_argmax) {
      out.argmax = argmax(weights, -1);
    }
    if (asked.topk > 0) {
      const TopK best = topk(weights, std::min(asked.topk, weights.size(2)));
      out.topk_values = best.values;
      out.topk_slots = best.indices;
    }
  }
  const Tensor& p = normalised.distribution.defined() ? normalised.distribution : composed.weights;
  if (asked.distribution) {
    out.distribution = by_head(p);
  }
  if (asked.entropy) {
    out.entropy = by_head(composed.entropy.defined() ? composed.entropy : entropy_of(p));
  }
  if (normalised.log_probability.defined()) {
    out.log_probability = by_head(normalised.log_probability);
  }
}

Composed look(const Attention& how, const Lookup& lookup, const Prepared& prepared, Pass& pass) {
  const std::optional<Composed> fused = fuse(how, lookup, prepared, pass);
  return fused ? *fused : compose(how, lookup, prepared, pass);
}

/// The same, but composed with changes in the rows and heads that have some.
Composed look_with(std::span<const AttentionChange> changes, const Attention& how, Lookup lookup,
                   const Prepared& prepared, Pass& pass) {
  Pass same_draws = pass;
  lookup.report.weights = true;  // what is reported comes from them
  const Composed usual = look(how, lookup, prepared, pass);
  const ChangedGrid changed(changes, lookup.geometry,
                            prepared.query.shape().with(4, lookup.memory.capacity()),
                            usual.weights.place());
  const Composed other = compose(how, lookup, prepared, same_draws, &changed);
  Composed out;
  out.contexts = select(changed.touched, other.contexts, usual.contexts);
  out.weights = select(changed.touched, other.weights, usual.weights);
  out.normalised.log_probability = usual.normalised.log_probability;
  if (usual.normalised.distribution.defined()) {
    out.normalised.distribution =
        select(changed.touched, other.weights, usual.normalised.distribution);
  }
  return out;
}

Attended attend_at_once(const Attention& how, const Lookup& lookup, Pass& pass,
                        std::span<const AttentionChange> changes = {}) {
  const Prepared prepared = prepare(how, lookup, pass);
  const Composed composed = changes.empty() ? look(how, lookup, prepared, pass)
                                            : look_with(changes, how, lookup, prepared, pass);
  Attended out;
  out.context = how.join_heads(composed.contexts, lookup.geometry, pass);
  fill_report(out, composed, lookup);
  if (how.reads_past()) {
    const Tensor rows = rows_by_head(composed.weights, lookup.geometry);
    out.past = lookup.geometry.has_one_row_each()
                   ? rows
                   : chosen_rows(rows, row_of_sequence(lookup.geometry.queries()));
  }
  return out;
}

/// The rows at step t of their sequences, as sequences of one row (or none).
struct Step {
  std::vector<int32_t> rows;
  Geometry geometry;
};

Step step_at(const Geometry& geometry, int32_t t, const Place& place) {
  const Layout& queries = geometry.queries();
  Step step;
  std::vector<int32_t> lengths;
  std::vector<int32_t> first = geometry.first_position();
  for (int64_t q = 0; q < queries.count(); ++q) {
    const bool has_row = t < queries.lengths()[q];
    lengths.push_back(has_row ? 1 : 0);
    first[q] += t;
    if (has_row) {
      step.rows.push_back(queries.starts()[q] + t);
    }
  }
  step.geometry = Geometry({.queries = Layout::packed(lengths, place),
                            .memory_lengths = geometry.memory_lengths(),
                            .memory_of = geometry.memory_of(),
                            .first_position = first,
                            .place = place});
  return step;
}

/// The past [Q, H, S] after a step; sequences without a row in it keep theirs.
Tensor past_after(const Step& step, const Tensor& fresh, const Tensor& before) {
  const Layout& queries = step.geometry.queries();
  if (!before.defined() || queries.rows() == queries.count()) {
    return fresh;
  }
  const Tensor has_row =
      Tensor::of(queries.lengths(), {queries.count(), 1, 1}, fresh.place().with(DType::i32));
  return select(has_row, fresh, grown(before, fresh.size(2)));
}

/// The rows of every step, in the order of all rows.
Attended in_order(const std::vector<Attended>& steps, const std::vector<int32_t>& place_of_row) {
  Attended out;
  for (Tensor Attended::*field : Attended::by_row()) {
    std::vector<Tensor> values;
    for (const Attended& step : steps) {
      if ((step.*field).defined()) {
        values.push_back(step.*field);
      }
    }
    if (!values.empty()) {
      out.*field = chosen_rows(concat(values, 0), place_of_row);
    }
  }
  return out;
}

Attended walk(const Attention& how, const Lookup& lookup, Pass& pass) {
  const Layout& queries = lookup.geometry.queries();
  std::vector<int32_t> place_of_row(static_cast<size_t>(queries.rows()), -1);
  int32_t walked = 0;
  std::vector<Attended> steps;
  Tensor past = lookup.past;
  for (int32_t t = 0; t < queries.width(); ++t) {
    const Step step = step_at(lookup.geometry, t, lookup.query.place());
    const Tensor query = chosen_rows(lookup.query, step.rows);
    steps.push_back(
        attend_at_once(how, {query, step.geometry, lookup.memory, past, lookup.report}, pass));
    for (const int32_t row : step.rows) {
      place_of_row[row] = walked++;
    }
    past = past_after(step, std::exchange(steps.back().past, {}), past);
  }
  Attended out = in_order(steps, place_of_row);
  out.past = past;
  return out;
}

}  // namespace

Attended attend(const Attention& how, const Lookup& lookup, Pass& pass) {
  require(lookup.memory.defined() && lookup.memory.values.size(0) == lookup.geometry.memories(),
          "attend: saw {} memories, needs the geometry's {}",
          lookup.memory.defined() ? lookup.memory.values.size(0) : 0, lookup.geometry.memories());
  const std::vector<AttentionChange> changes = pass.changes() == nullptr
                                                   ? std::vector<AttentionChange>()
                                                   : pass.changes()->next(lookup.is_within);
  if (how.reads_past() && !lookup.geometry.is_single_step()) {
    require(changes.empty(),
            "attend: saw changes of rows that see each other's past, needs one step");
    return walk(how, lookup, pass);
  }
  return attend_at_once(how, lookup, pass, changes);
}

}  // namespace heed
