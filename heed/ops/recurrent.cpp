#include "heed/ops/recurrent.h"

#include <memory>

namespace heed {
namespace {

RecurrentOutput rnn_tanh(const RecurrentInput& input) { return rnn(input, RnnActivation::tanh); }
RecurrentOutput rnn_relu(const RecurrentInput& input) { return rnn(input, RnnActivation::relu); }

template <int64_t gates, bool has_cell, RecurrentOutput (*run)(const RecurrentInput&)>
std::unique_ptr<Cell> make() {
  return std::make_unique<Cell>(Cell{gates, has_cell, run});
}

}  // namespace

const Catalogue<Cell>& cells() {
  static const Catalogue<Cell> all(
      "cell",
      {{"rnn", {"elman", "rnn_tanh"}, "h' = tanh(x + W h + b)", make<1, false, rnn_tanh>},
       {"rnn_relu", {}, "h' = relu(x + W h + b)", make<1, false, rnn_relu>},
       {"gru",
        {},
        "r, z = sigmoid(x + W h + b); n = tanh(x_n + r (W_n h + b_n)); h' = (1 - z) n + z h",
        make<3, false, gru>},
       {"lstm",
        {},
        "i, f, o = sigmoid(x + W h + b); g = tanh(x_g + W_g h + b_g); c' = f c + i g; "
        "h' = o tanh c'",
        make<4, true, lstm>}});
  return all;
}

}  // namespace heed
