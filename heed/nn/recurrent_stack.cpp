#include "heed/nn/recurrent_stack.h"

#include "heed/config/limits.h"
#include "heed/nn/drop.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/concat.h"

namespace heed {
namespace {

void pack(const RecurrentState& state, std::vector<Tensor>& into) {
  into.push_back(state.hidden);
  if (state.cell.defined()) {
    into.push_back(state.cell);
  }
}

}  // namespace

RecurrentStack::RecurrentStack(const Fixed& fixed) : fixed_(fixed) {
  if (!fixed_.cell.empty()) {
    cell_ = cells().at(fixed_.cell).name;
  }
}

void RecurrentStack::describe(Describer& d) {
  if (fixed_.cell.empty()) {
    d.setting("cell", cell_, name_from(cells().listing(), "what a step computes"));
  }
  if (!fixed_.is_one_way) {
    d.setting("direction", direction_,
              {{"forward", Direction::forward},
               {"backward", Direction::backward},
               {"both", Direction::both}},
              {"from the first row on, from the last row on, or both with one layer each"});
  }
  d.setting("depth", depth_, {.help = "layers", .least = 1, .most = 64});
  d.setting("width", width_,
            {.help = "width of the state in each direction", .least = 1, .most = most_width});
  d.setting("residual", is_residual_,
            {"add a layer's input to its output, from the second layer on"});
  d.setting("dropout", dropout_,
            {.help = "share of a layer's input dropped in training, from the second layer on",
             .least = 0,
             .most = most_dropout});
  if (cells().make(cell_)->has_cell) {
    d.setting("forget_bias", forget_bias_,
              {.help = "initial bias of the forget gate", .least = -100, .most = 100});
  }
  for (size_t i = 0; i < layers_.size(); ++i) {
    const bool is_backward = direction_ == Direction::backward || i % directions() == 1;
    d.built(fmt::format("layers.{}.{}", i / directions(), is_backward ? "backward" : "forward"),
            *layers_[i]);
  }
}

void RecurrentStack::build(int64_t in, Init& init) {
  const std::unique_ptr<Cell> cell = cells().make(cell_);
  has_cell_ = cell->has_cell;
  layers_.clear();
  for (int64_t i = 0; i < depth_ * directions(); ++i) {
    layers_.push_back(std::make_unique<RecurrentLayer>());
    const int64_t entering = i < directions() ? in : width();
    layers_.back()->build(*cell, {entering, width_}, forget_bias_, init);
  }
}

void RecurrentStack::require_state(std::span<const Tensor> state) const {
  require(state.empty() || static_cast<int64_t>(state.size()) == state_size(),
          "recurrent stack: saw a state of {} tensors, needs {} or none", state.size(),
          state_size());
}

RecurrentState RecurrentStack::unpack(std::span<const Tensor> state, int64_t i) const {
  if (state.empty()) {
    return {};
  }
  const int64_t each = tensors_per_layer();
  return {state[i * each], each == 2 ? state[i * each + 1] : Tensor()};
}

Tensor RecurrentStack::enter(const Tensor& x, int64_t layer, Pass& pass) const {
  return layer > 0 ? drop(x, dropout_, pass) : x;
}

Tensor RecurrentStack::leave(const Tensor& y, const Tensor& x, int64_t layer) const {
  return is_residual_ && layer > 0 ? y + x : y;
}

RecurrentStack::Output RecurrentStack::operator()(const Tensor& x, const Layout& layout, Pass& pass,
                                                  std::span<const Tensor> before) const {
  require_state(before);
  Output out{x, {}};
  for (int64_t layer = 0; layer < depth_; ++layer) {
    const Tensor entering = enter(out.rows, layer, pass);
    std::vector<Tensor> ways;
    for (int64_t way = 0; way < directions(); ++way) {
      const int64_t i = layer * directions() + way;
      const bool is_reversed = direction_ == Direction::backward || way == 1;
      const auto run = (*layers_[i])(entering, layout, unpack(before, i), is_reversed);
      ways.push_back(run.rows);
      pack(run.state, out.state);
    }
    out.rows = leave(ways.size() == 1 ? ways[0] : concat(ways, 1), out.rows, layer);
  }
  return out;
}

Tensor RecurrentStack::step(const Tensor& x, std::vector<Tensor>& state, Pass& pass) const {
  require(direction_ == Direction::forward,
          "recurrent stack: saw a step in a direction other than forward, needs forward; only that "
          "goes step by step");
  require_state(state);
  Tensor h = x;
  std::vector<Tensor> next;
  for (int64_t layer = 0; layer < depth_; ++layer) {
    const RecurrentState after =
        layers_[layer]->step(enter(h, layer, pass), unpack(state, layer), pass);
    pack(after, next);
    h = leave(after.hidden, h, layer);
  }
  state = std::move(next);
  return h;
}

}  // namespace heed
