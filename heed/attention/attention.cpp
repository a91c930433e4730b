#include "heed/attention/attention.h"

#include <algorithm>

#include "heed/attention/cache.h"
#include "heed/attention/focuses.h"
#include "heed/attention/normalisers.h"
#include "heed/attention/scores.h"
#include "heed/config/limits.h"
#include "heed/nn/rotary.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/grid.h"
#include "heed/ops/lengths.h"
#include "heed/ops/matmul.h"
#include "heed/ops/packed.h"
#include "heed/ops/permute.h"
#include "heed/ops/projections.h"
#include "heed/ops/reshape.h"

namespace heed {
namespace {

/// first + 0, 1, … of each of M sequences, as [M or 1, 1, S] for rotary keys.
Tensor key_positions(const Layout& layout, std::span<const int32_t> first, const Place& place) {
  const Tensor slot = reshape(positions(layout.width(), place), {1, 1, layout.width()});
  return first.empty() ? slot : slot + Tensor::of(first, {layout.count(), 1, 1}, place);
}

}  // namespace

Attention::Attention()
    : score_(make_part(scores(), "additive")), normaliser_(make_part(normalisers(), "softmax")) {
  focus_.push_back(make_part(focuses(), "everywhere"));
}

void Attention::describe(Describer& d) {
  d.part("score", score_, scores(), {"how well a slot matches the query"});
  d.part("normaliser", normaliser_, normalisers(), {"weights from scores"});
  d.parts("focus", focus_, focuses(), {"where the query may look; several act together"});
  d.setting("heads", heads_, {.help = "number of attention heads", .least = 1, .most = 1024});
  d.setting(
      "groups", groups_,
      {.help = "number of key and value heads; 0: as many as heads", .least = 0, .most = 1024});
  d.setting("head_width", head_width_,
            {.help = "channels of a head; 0: the query's, divided by the heads",
             .least = 0,
             .most = most_width});
  d.setting("project", projects_, {"project query, key and value for each head, mix by W^o"});
  d.setting("bias", has_bias_, {"projections have a bias"});
  d.setting("rotary", is_rotary_, {"rotate queries and keys by their positions"});
  d.setting("dropout", dropout_,
            {.help = "dropout of weights in training", .least = 0, .most = 0.95});
  d.weight("query.weight", query_weight_);
  d.parameter("query.bias", query_bias_);
  d.weight("key.weight", key_weight_);
  d.parameter("key.bias", key_bias_);
  d.weight("value.weight", value_weight_);
  d.parameter("value.bias", value_bias_);
  d.weight("output.weight", output_weight_);
  d.parameter("output.bias", output_bias_);
}

void Attention::build(const AttentionWidths& widths, Init& init) {
  widths_ = widths;
  const int64_t groups = groups_ > 0 ? groups_ : heads_;
  require(heads_ % groups == 0,
          "attend: {} heads cannot share {} key/value groups equally; choose a number of groups "
          "that divides the heads",
          heads_, groups);
  require(projects_ || heads_ == 1,
          "attend: {} heads without projections would all be equal; set project = true", heads_);
  require(projects_ || head_width_ == 0,
          "attend: heads of {} channels are made by projections; set project = true, or leave "
          "head_width out",
          head_width_);
  require(!projects_ || head_width_ > 0 || widths.query % heads_ == 0,
          "attend: {} channels of the query cannot be split into {} equal heads; choose a number "
          "of heads that divides the channels, or set head_width",
          widths.query, heads_);
  const int64_t head = head_width_ > 0 ? head_width_ : widths.query / heads_;
  const int64_t value = widths.value > 0 ? widths.value : widths.memory;
  require(!is_rotary_ || score_->reads_keys(),
          "attend: the score {} reads no keys that rotary could rotate; choose another score, or "
          "turn rotary off",
          score_->kind());
  require(!is_rotary_ || head % 2 == 0,
          "attend: rotary rotates pairs of channels, and a head has {}; choose an even width",
          head);
  require(!is_rotary_ || projects_ || widths.memory % 2 == 0,
          "attend: rotary rotates pairs of channels, and a key has {}; choose an even width",
          widths.memory);
  groups_ = groups;
  const ScoreWidths score{head, projects_ ? head : widths.memory, groups, heads_ / groups};
  if (projects_) {
    const int64_t out = widths.out > 0 ? widths.out : widths.query;
    const bool reads_keys = score_->reads_keys();
    query_weight_ = init.glorot({heads_ * head, widths.query});
    key_weight_ = reads_keys ? Weight(init.glorot({groups * head, widths.memory})) : Weight();
    value_weight_ = init.glorot({groups * head, value});
    output_weight_ = init.glorot({out, heads_ * head});
    if (has_bias_) {
      query_bias_ = init.zeros({heads_ * head});
      key_bias_ = reads_keys ? init.zeros({groups * head}) : Tensor();
      value_bias_ = init.zeros({groups * head});
      output_bias_ = init.zeros({out});
    }
    width_ = out;
  } else {
    width_ = value;
  }
  score_->build(score, init);
  for (const auto& part : focus_) {
    part->build({head, groups, heads_ / groups}, init);
  }
}

Precision Attention::precision() const {
  return projects_ ? value_weight_.precision() : Precision::f32;
}

bool Attention::reads_past() const {
  return score_->reads_past() || std::any_of(focus_.begin(), focus_.end(),
                                             [](const auto& part) { return part->reads_past(); });
}

bool Attention::tempers() const {
  return std::any_of(focus_.begin(), focus_.end(),
                     [](const auto& part) { return part->tempers(); });
}

void Attention::make_causal() {
  const bool is_causal =
      std::any_of(focus_.begin(), focus_.end(), [](const auto& part) { return part->is_causal(); });
  if (!is_causal) {
    focus_.insert(focus_.begin(), make_part(focuses(), "causal"));
  }
}

Tensor Attention::by_group(const Tensor& projected) const {
  return reshape(projected, {projected.size(0), groups_, projected.size(1) / groups_});
}

Tensor Attention::split_groups(const Tensor& rows, const Weight& weight, const Tensor& bias) const {
  return by_group(weight.defined() ? linear(rows, weight, bias) : rows);
}

Memory Attention::prepared(const Tensor& keys, Tensor values, const Tensor& position) const {
  Memory memory;
  memory.values = std::move(values);
  if (!score_->reads_keys()) {
    memory.keys = memory.values;  // only its number of slots is looked at
    return memory;
  }
  memory.keys = score_->prepare(is_rotary_ ? rotate(keys, position) : keys);
  memory.kernel_keys = score_->kernel_keys(memory.keys);
  return memory;
}

Memory Attention::remember(const Pairs& pairs) const {
  const auto by_memory = [&pairs](const Tensor& x) {
    return permute(to_grid(x, pairs.layout), {0, 2, 1, 3});  // [M, G, S, d]
  };
  const Tensor values = by_memory(split_groups(pairs.values, value_weight_, value_bias_));
  if (!score_->reads_keys()) {
    return prepared({}, values, {});
  }
  const Tensor position =
      is_rotary_ ? key_positions(pairs.layout, pairs.first_position, values.place().exact())
                 : Tensor();
  return prepared(by_memory(split_groups(pairs.keys, key_weight_, key_bias_)), values, position);
}

void Attention::remember_more(Memory& cache, const Tensor& rows, const RowPositions& at,
                              const Pass& pass, Tensor* query) const {
  const bool reads_keys = score_->reads_keys();
  std::vector<Tensor> made(3, rows);
  if (projects_) {
    std::vector<Projection> by = {{value_weight_, value_bias_}};
    if (reads_keys) {
      by.push_back({key_weight_, key_bias_});
    }
    if (query != nullptr) {
      by.push_back({query_weight_, query_bias_});
    }
    made = projections(rows, by, pass.products());
  }
  if (query != nullptr) {
    *query = made.back();
  }
  const auto one_slot = [this](const Tensor& x) { return unsqueeze(by_group(x), 2); };
  const Tensor keys = reads_keys ? one_slot(made[1]) : Tensor();  // [M, G, 1, d]
  write_slot(cache, prepared(keys, one_slot(made[0]), reshape(at.number, {rows.size(0), 1, 1})), at,
             most_slots());
}

Tensor Attention::projected_query(const Tensor& rows, const Pass& pass) const {
  return projects_ ? linear(rows, query_weight_, query_bias_, {.products = pass.products()}) : rows;
}

Tensor Attention::query_heads(const Tensor& projected, const Geometry& geometry) const {
  const Tensor grid = geometry.to_grid(projected);  // [M, R, H·d]
  const int64_t p = heads_ / groups_;
  const Tensor split =
      reshape(grid, {grid.size(0), grid.size(1), groups_, p, grid.size(2) / heads_});
  const Tensor query = permute(split, {0, 2, 3, 1, 4});
  return is_rotary_ ? rotate(query, geometry.position()) : query;
}

Tensor Attention::join_heads(const Tensor& contexts, const Geometry& geometry,
                             const Pass& pass) const {
  const Tensor rows_first = permute(contexts, {0, 3, 1, 2, 4});  // [M, R, G, P, d]
  const Tensor grid = reshape(rows_first, {rows_first.size(0), rows_first.size(1), -1});
  const Tensor rows = geometry.to_rows(grid);
  return projects_ ? linear(rows, output_weight_, output_bias_, {.products = pass.products()})
                   : rows;
}

Tensor Attention::contexts_of_slots(const Memory& memory, const Pass& pass) const {
  require(heads_ == 1, "attend: saw {} heads, needs one to look at each slot alone", heads_);
  const Tensor values = squeeze(memory.values, 1);  // [M, S, d]
  return projects_ ? linear(values, output_weight_, output_bias_, {.products = pass.products()})
                   : values;
}

void Attention::choose_score(std::string_view name) { score_ = make_part(scores(), name); }

void Attention::choose_normaliser(std::string_view name) {
  normaliser_ = make_part(normalisers(), name);
}

void Attention::choose_focus(std::initializer_list<std::string_view> names) {
  focus_.clear();
  for (const std::string_view name : names) {
    focus_.push_back(make_part(focuses(), name));
  }
}

void Attention::choose_heads(int64_t heads, int64_t groups, bool project) {
  heads_ = heads;
  groups_ = groups;
  projects_ = project;
}

}  // namespace heed
