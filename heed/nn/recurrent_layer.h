// One recurrent layer in one direction (ops/recurrent.h has the cells):
//
//   h_t, c_t = cell(W_x x_t + b_x, h_{t−1}, c_{t−1}; W_h, b_h)
//
// Rows are projected before they are laid out in time, so that padding costs no multiplication.
// Where the cell uses b_x + b_h, this sum is passed as b_h: W_x x then needs no second pass for its
// bias, and one sum over all rows is the gradient of both.
#pragma once

#include "heed/nn/linear.h"
#include "heed/ops/recurrent.h"
#include "heed/tensor/layout.h"

namespace heed {

/// The state of a layer between steps.
struct RecurrentState {
  Tensor hidden;  // [B, H]
  Tensor cell;    // [B, H]; undefined where the kind has none
};

class RecurrentLayer : public Module {
 public:
  struct Widths {
    int64_t in = 0;
    int64_t hidden = 0;
  };
  /// Draws W_x as in Glorot 2010 and W_h orthogonal, gate by gate. Biases are 0, except that b_x of
  /// an lstm's forget gate is `forget_bias`.
  void build(const Cell& cell, const Widths& widths, double forget_bias, Init& init);
  void describe(Describer& d) override;

  struct Output {
    Tensor rows;  // [N, H]
    RecurrentState state;
  };
  /// Runs over whole sequences, x [N, D]; if `reversed`, from each sequence's end to its beginning.
  /// An undefined state is zero.
  Output operator()(const Tensor& x, const Layout& layout, const RecurrentState& before,
                    bool reversed) const;
  /// One step of B sequences, x [B, D].
  RecurrentState step(const Tensor& x, const RecurrentState& before, const Pass& pass) const;

 private:
  RecurrentInput input(const RecurrentState& before, Products* products) const;
  Tensor projected(const Tensor& x, Products* products) const;

  Cell cell_;
  Linear input_;   // W_x [gates·H, D], b_x
  Weight weight_;  // W_h [gates·H, H]
  Tensor bias_;    // b_h [gates·H]
};

}  // namespace heed
