// Recurrent layers on top of each other, l = 0 … L − 1, x^0 the input:
//
//   x^{l+1} = layer_l(drop(x^l)) [+ x^l, residual, l ≥ 1]
//
// direction = both runs a second layer from each sequence's end and puts the two side by side,
// h_j = [→h_j; ←h_j] (Schuster 1997). The same weights serve whole sequences and single steps.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/nn/pass.h"
#include "heed/nn/recurrent_layer.h"

namespace heed {

enum class Direction { forward, backward, both };

class RecurrentStack : public Module {
 public:
  /// What the owner decides; the rest are settings.
  struct Fixed {
    std::string cell = {};    // a name from cells(); empty: a setting
    bool is_one_way = false;  // forward only, so that a decoder can step
  };
  RecurrentStack() : RecurrentStack(Fixed{}) {}
  explicit RecurrentStack(const Fixed& fixed);

  /// For rows of width `in`.
  void build(int64_t in, Init& init);
  void describe(Describer& d) override;

  /// The width of the output rows: the width of one direction times the number of directions.
  int64_t width() const { return width_ * directions(); }
  int64_t depth() const { return depth_; }
  /// The width of one layer and direction.
  int64_t hidden_width() const { return width_; }
  /// How many tensors a state has: h (and c) of every layer and direction, in that order.
  int64_t state_size() const { return depth_ * directions() * tensors_per_layer(); }

  struct Output {
    Tensor rows;                // [N, width]
    std::vector<Tensor> state;  // [B, H] each, after each sequence's last step
  };
  /// x [N, D]. `before` is the initial state; empty means zeros.
  Output operator()(const Tensor& x, const Layout& layout, Pass& pass,
                    std::span<const Tensor> before = {}) const;

  /// One step of B sequences, x [B, D] → [B, width], which updates `state` (empty: zeros). Forward
  /// only.
  Tensor step(const Tensor& x, std::vector<Tensor>& state, Pass& pass) const;

 private:
  int64_t directions() const { return direction_ == Direction::both ? 2 : 1; }
  int64_t tensors_per_layer() const { return has_cell_ ? 2 : 1; }
  void require_state(std::span<const Tensor> state) const;
  /// The state of layer and direction number i.
  RecurrentState unpack(std::span<const Tensor> state, int64_t i) const;
  Tensor enter(const Tensor& x, int64_t layer, Pass& pass) const;
  Tensor leave(const Tensor& y, const Tensor& x, int64_t layer) const;

  Fixed fixed_;
  std::string cell_ = "lstm";
  Direction direction_ = Direction::forward;
  int64_t depth_ = 1;
  int64_t width_ = 256;
  bool is_residual_ = false;
  double dropout_ = 0;
  double forget_bias_ = 1;
  bool has_cell_ = false;  // whether a layer's state has c as well as h; known once it is built
  std::vector<std::unique_ptr<RecurrentLayer>> layers_;  // [depth · directions]
};

}  // namespace heed
