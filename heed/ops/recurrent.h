// Recurrent layers over whole sequences, each recorded as one node of the tape. T = 1 is a
// decoder's step.
//
//   rnn    h' = tanh(x + W h + b)   or relu
//   gru    r, z = σ(x + W h + b),  n = tanh(x_n + r ⊙ (W_n h + b_n)),  h' = (1 − z) ⊙ n + z ⊙ h
//   lstm   i, f, o = σ(x + W h + b),  g = tanh(x_g + W_g h + b_g),
//          c' = f ⊙ c + i ⊙ g,  h' = o ⊙ tanh c'
//
// x is the input's part of the gates, W_x input + b_x, computed beforehand for all steps by one
// product. Gates are side by side in PyTorch's order: r, z, n and i, f, g, o. A sequence that has
// ended (or, reversed, not yet begun) keeps its state unchanged.
#pragma once

#include <cstdint>

#include "heed/base/catalogue.h"
#include "heed/ops/weight.h"

namespace heed {

class Products;

struct RecurrentInput {
  Tensor projected = {};         // [B, T, gates·H]: x above
  Weight weight = {};            // [gates·H, H]
  Tensor bias = {};              // [gates·H]; undefined = none
  Tensor hidden = {};            // [B, H] before the first step; undefined = zeros
  Tensor cell = {};              // [B, H], lstm only; undefined = zeros
  Tensor lengths = {};           // i32 [B]; undefined = all T
  bool reversed = false;         // from each sequence's own last step to its first
  Products* products = nullptr;  // what this run shares with others that multiply the weight
};

struct RecurrentOutput {
  Tensor outputs = {};  // [B, T, H], zeros at padding
  Tensor hidden = {};   // [B, H] after each sequence's last step
  Tensor cell = {};     // [B, H], lstm only
};

enum class RnnActivation : uint8_t { tanh, relu };

RecurrentOutput rnn(const RecurrentInput& input, RnnActivation activation = RnnActivation::tanh);
RecurrentOutput gru(const RecurrentInput& input);
RecurrentOutput lstm(const RecurrentInput& input);

/// A kind of recurrent cell, to build layers by name.
struct Cell {
  int64_t gates = 1;          // blocks of H in `projected`, `weight` and `bias`
  bool has_cell = false;      // uses RecurrentInput::cell
  bool joins_biases = false;  // every gate is a function of x + W h + b, so b may include b_x
  RecurrentOutput (*run)(const RecurrentInput&) = nullptr;
};

const Catalogue<Cell>& cells();

}  // namespace heed
