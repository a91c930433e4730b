#include "heed/ops/recurrent.h"

#include <memory>

namespace heed {
namespace {

RecurrentOutput rnn_tanh(const RecurrentInput& input) { return rnn(input, RnnActivation::tanh); }
RecurrentOutput rnn_relu(const RecurrentInput& input) { return rnn(input, RnnActivation::relu); }

template <RecurrentOutput (*run)(const RecurrentInput&)>
std::unique_ptr<Cell> plain() {
  return std::make_unique<Cell>(Cell{.gates = 1, .joins_biases = true, .run = run});
}

std::unique_ptr<Cell> gated() { return std::make_unique<Cell>(Cell{.gates = 3, .run = gru}); }

std::unique_ptr<Cell> with_memory() {
  return std::make_unique<Cell>(
      Cell{.gates = 4, .has_cell = true, .joins_biases = true, .run = lstm});
}

}  // namespace

const Catalogue<Cell>& cells() {
  static const Catalogue<Cell> all(
      "cell",
      {{"rnn", {"elman", "rnn_tanh"}, "h' = tanh(x + W h + b)", plain<rnn_tanh>},
       {"rnn_relu", {}, "h' = relu(x + W h + b)", plain<rnn_relu>},
       {"gru",
        {},
        "r, z = sigmoid(x + W h + b); n = tanh(x_n + r (W_n h + b_n)); h' = (1 - z) n + z h",
        gated},
       {"lstm",
        {},
        "i, f, o = sigmoid(x + W h + b); g = tanh(x_g + W_g h + b_g); c' = f c + i g; "
        "h' = o tanh c'",
        with_memory}});
  return all;
}

}  // namespace heed
