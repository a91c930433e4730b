// fixed: y_i = f(C, y_<i) with one fixed C for every step (Cho 2014). It is the baseline that
// attention is compared with:
//
//   s_i = cell([E y_{i−1}; C], s_{i−1})
//   t_i = tanh(W [s_i; C; E y_{i−1}] + b)    the words come from t_i
//
// Without a source there is no C, and s_{−1} = 0: a recurrent language model (Mikolov 2010).
#include "heed/model/decoders.h"
#include "heed/model/recurrent_decoder.h"
#include "heed/ops/concat.h"
#include "heed/ops/elementwise.h"

namespace heed {
namespace {

class FixedDecoder : public RecurrentDecoder {
 public:
  int64_t reporting_blocks() const override { return 0; }
  bool needs_source() const override { return false; }

 protected:
  int64_t input_width(const Widths& w) const override { return w.embedding + w.memory; }
  void build_parts(const Widths& w, Init& init) override {
    deep_.build(w.hidden + w.memory + w.embedding, w.embedding, init);
  }
  void describe_parts(Describer& d) override { d.built("deep", deep_); }
  std::vector<Memory> prepare(const Encoded& /*encoded*/) const override { return {}; }
  Tensor advance(State& state, const Tensor& embedded, const StepView& view,
                 Pass& pass) const override {
    if (!reads_source()) {
      return concat({run_cells(state, embedded, pass), embedded}, 1);
    }
    const Tensor s = run_cells(state, concat({embedded, view.summary}, 1), pass);
    return concat({s, view.summary, embedded}, 1);
  }
  Tensor before_words(const Tensor& features, Pass& pass) const override {
    return tanh(deep_(features, pass));
  }
  int64_t output_width(const Widths& w) const override { return w.embedding; }
  bool reads_summary() const override { return reads_source(); }

 private:
  Linear deep_;
};

}  // namespace

std::unique_ptr<Decoder> fixed_decoder() { return std::make_unique<FixedDecoder>(); }

}  // namespace heed
