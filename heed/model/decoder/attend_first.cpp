// attend_first (Bahdanau 2014) attends before the step,
//
//   c_i = attend(s_{i−1})
//   s_i = cell([E y_{i−1}; c_i], s_{i−1})
//   t_i = tanh(W [s_i; c_i; E y_{i−1}] + b)    the words come from t_i
//
// With `gated` (Xu 2015) the context is gated first: c_i ← σ(W_β s_{i−1} + b_β) ⊙ c_i.
#include "heed/model/decoders.h"
#include "heed/model/recurrent_decoder.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/concat.h"
#include "heed/ops/elementwise.h"

namespace heed {
namespace {

class AttendFirstDecoder : public RecurrentDecoder {
 public:
  int64_t reporting_blocks() const override { return 1; }
  int64_t longest_source() const override { return attention_.most_slots(); }

 protected:
  int64_t input_width(const Widths& w) const override { return w.embedding + attention_.width(); }
  void build_parts(const Widths& w, Init& init) override {
    attention_.build({w.hidden, w.memory, 0}, init);
    deep_.build(w.hidden + attention_.width() + w.embedding, w.embedding, init);
    if (is_gated_) {
      gate_ = std::make_unique<Linear>();
      gate_->build(w.hidden, attention_.width(), init);
    }
  }
  void describe_parts(Describer& d) override {
    d.setting("gated", is_gated_, {"weigh the context by a gate from the state (Xu 2015)"});
    d.child("attention", attention_);
    d.built("deep", deep_);
    if (gate_) {
      d.built("gate", *gate_);
    }
  }
  std::vector<Memory> prepare(const Encoded& encoded) const override {
    std::vector<Memory> layers;
    layers.push_back(attention_.remember(encoded.blocks.back(), encoded.layout));
    return layers;
  }
  Tensor advance(State& state, const Tensor& embedded, const StepView& view,
                 Pass& pass) const override {
    const Tensor query = top(state);
    Tensor& past = state.carried[cell_tensors()];
    *view.reported =
        attend(attention_, {query, view.geometry, view.memory.layers[0], past, view.report}, pass);
    past = view.reported->past;
    Tensor context = view.reported->context;
    if (gate_) {
      context = sigmoid((*gate_)(query, pass)) * context;
    }
    const Tensor s = run_cells(state, concat({embedded, context}, 1), pass);
    return concat({s, context, embedded}, 1);
  }
  Tensor before_words(const Tensor& features, Pass& pass) const override {
    return tanh(deep_(features, pass));
  }
  int64_t output_width(const Widths& w) const override { return w.embedding; }
  size_t carried_beside_cells() const override { return 1; }  // past weights

 private:
  bool is_gated_ = false;
  Attention attention_;
  Linear deep_;
  std::unique_ptr<Linear> gate_;
};

}  // namespace

std::unique_ptr<Decoder> attend_first_decoder() { return std::make_unique<AttendFirstDecoder>(); }

}  // namespace heed
