// rnn, gru, lstm: h_j from left to right, right to left, or both, h_j = [→h_j; ←h_j], with any
// number of layers. C is the last layer's final state (of both directions).
#include "heed/model/encoders.h"
#include "heed/nn/recurrent_stack.h"
#include "heed/ops/concat.h"

namespace heed {
namespace {

class RecurrentEncoder : public Encoder {
 public:
  explicit RecurrentEncoder(const std::string& cell) : stack_({.cell = cell}) {}

  void describe(Describer& d) override { stack_.describe(d); }
  void build(int64_t input, Init& init) override { stack_.build(input, init); }

  Encoded operator()(const Tensor& rows, const Layout& layout, Pass& pass) const override {
    const RecurrentStack::Output out = stack_(rows, layout, pass);
    const auto layers = static_cast<size_t>(stack_.depth());
    const size_t per_layer = out.state.size() / layers;
    const auto directions = static_cast<size_t>(stack_.width() / stack_.hidden_width());
    std::vector<Tensor> finals;  // h of the last layer, without an lstm's c
    for (size_t i = (layers - 1) * per_layer; i < out.state.size(); i += per_layer / directions) {
      finals.push_back(out.state[i]);
    }
    return {layout, {out.rows}, concat(finals, 1)};
  }

  int64_t width() const override { return stack_.width(); }

 private:
  RecurrentStack stack_;
};

}  // namespace

std::unique_ptr<Encoder> rnn_encoder() { return std::make_unique<RecurrentEncoder>("rnn"); }
std::unique_ptr<Encoder> gru_encoder() { return std::make_unique<RecurrentEncoder>("gru"); }
std::unique_ptr<Encoder> lstm_encoder() { return std::make_unique<RecurrentEncoder>("lstm"); }

}  // namespace heed
