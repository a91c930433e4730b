// attend_after (Luong 2015) attends after the step,
//
//   h_i = cell([E y_{i−1}; h̃_{i−1}], h_{i−1})    without input feeding: cell(E y_{i−1}, h_{i−1})
//   c_i = attend(h_i)
//   h̃_i = tanh(W_c [c_i; h_i] + b)               h̃_{−1} = 0; the words come from h̃_i
#include "heed/model/decoders.h"
#include "heed/model/recurrent_decoder.h"
#include "heed/ops/broadcast.h"
#include "heed/ops/concat.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/grid.h"
#include "heed/ops/matmul.h"
#include "heed/ops/reshape.h"

namespace heed {
namespace {

class AttendAfterDecoder : public RecurrentDecoder {
 public:
  int64_t reporting_blocks() const override { return 1; }
  int64_t longest_source() const override { return attention_.most_slots(); }
  bool says_by_slot() const override {
    return !feeds_input_ && attention_.heads() == 1 && !attention_.reads_past() &&
           !attention_.tempers();
  }

 protected:
  int64_t input_width(const Widths& w) const override {
    return w.embedding + (feeds_input_ ? w.hidden : 0);
  }
  void build_parts(const Widths& w, Init& init) override {
    width_ = w.hidden;
    attention_.build({w.hidden, w.memory, 0}, init);
    combine_.build(attention_.width() + w.hidden, w.hidden, init);
  }
  void describe_parts(Describer& d) override {
    d.setting("input_feeding", feeds_input_, {"feed the last combined state to the cell"});
    d.child("attention", attention_);
    d.built("combine", combine_);
  }
  std::vector<Memory> prepare(const Encoded& encoded) const override {
    std::vector<Memory> layers;
    layers.push_back(attention_.remember(encoded.blocks.back(), encoded.layout));
    return layers;
  }
  Tensor advance(State& state, const Tensor& embedded, const StepView& view,
                 Pass& pass) const override {
    Tensor& past = state.carried[cell_tensors()];
    Tensor& fed = state.carried[cell_tensors() + 1];
    if (feeds_input_ && !fed.defined()) {
      fed = Tensor::zeros({embedded.size(0), width_}, embedded.place());
    }
    const Tensor h = run_cells(state, feeds_input_ ? concat({embedded, fed}, 1) : embedded, pass);
    *view.reported =
        attend(attention_, {h, view.geometry, view.memory.layers[0], past, view.report}, pass);
    past = view.reported->past;
    if (view.looked != nullptr) {
      *view.looked = h;
    }
    Tensor combined =
        linear(concat({view.reported->context, h}, 1), combine_.weight(), combine_.bias(),
               {.after = AfterProduct::tanh, .products = pass.products()});
    if (feeds_input_) {
      fed = combined;
    }
    return combined;
  }
  Tensor features_by_slot(const Tensor& looked, const Remembered& memory, const Layout& layout,
                          Pass& pass) const override {
    const Tensor contexts = attention_.contexts_of_slots(memory.layers[0], pass);  // [B, S, D]
    const Tensor h = to_grid(looked, layout);                                      // [B, T, H]
    const Shape cells{h.size(0), h.size(1), contexts.size(1)};
    const Tensor c = broadcast_to(unsqueeze(contexts, 1), Shape(cells).push(contexts.size(2)));
    const Tensor every = broadcast_to(unsqueeze(h, 2), Shape(cells).push(h.size(2)));
    const Tensor combined = tanh(combine_(concat({c, every}, 3), pass));  // [B, T, S, H]
    return reshape(to_rows(combined, layout), {-1, combined.size(3)});
  }
  Tensor before_words(const Tensor& features, Pass& /*pass*/) const override { return features; }
  int64_t output_width(const Widths& w) const override { return w.hidden; }
  size_t carried_beside_cells() const override { return 2; }  // past weights, h̃

 private:
  bool feeds_input_ = true;
  int64_t width_ = 0;
  Attention attention_;
  Linear combine_;
};

}  // namespace

std::unique_ptr<Decoder> attend_after_decoder() { return std::make_unique<AttendAfterDecoder>(); }

}  // namespace heed
