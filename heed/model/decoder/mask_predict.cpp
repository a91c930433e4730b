// mask_predict (Ghazvininejad 2019): a decoder that fills all positions at once. It consists of
// Transformer blocks whose self-attention sees every position. A position whose word is not known has
// the mask token as its input.
//
//   p(y_i | Y_seen, x) = softmax(W h_i + b),      h = blocks(E Y_seen + positions, memory)
//   p(n | x)           = softmax(U C + c) at column n − |x| + R
//
// n is the number of words without the end, |x| that of the source, and |n − |x|| is at most R. The last
// position is the end token, which is always known. In training each sentence draws the share of its
// words that is hidden, uniformly from 0 to 1, so every number of hidden words is equally likely. When
// serving, teach hides all words.
#include "heed/config/limits.h"
#include "heed/model/decoders.h"
#include "heed/model/transformer_stack.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/compare.h"
#include "heed/ops/grid.h"
#include "heed/ops/select.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

class MaskPredict : public Parallel {
 public:
  void describe(Describer& d) override {
    stack_.describe_design(d);
    stack_.describe_words(d);
    d.setting("length_range", range_,
              {.help = "R: the largest difference between the number of words of target and source",
               .least = 0,
               .most = most_slots});
    stack_.describe_parts(d);
    d.built("length", length_);
  }

  void build(const DecoderWidths& widths, Init& init) override {
    stack_.build(widths, init);
    length_.build(widths.memory, 2 * range_ + 1, init);
  }

  Remembered remember(const Encoded& encoded, Pass& /*pass*/) const override {
    Remembered memory{{}, encoded.summary, encoded.layout.lengths()};
    for (size_t n = 0; n < stack_.depth(); ++n) {
      memory.layers.push_back(
          stack_.block(n).cross().remember(encoded.blocks.back(), encoded.layout));
    }
    return memory;
  }

  LengthScores lengths(const Remembered& memory, Pass& pass) const override {
    LengthScores scores{length_(memory.summary, pass), {}};
    for (const int32_t rows : memory.lengths) {
      scores.first.push_back(rows - 1 - static_cast<int32_t>(range_));
    }
    return scores;
  }

  Decoded fill(const Remembered& memory, const Filling& filling, Pass& pass) const override {
    const Place place = stack_.place();
    const Layout& layout = filling.layout;
    const Geometry within({.queries = layout, .memory_lengths = layout.lengths(), .place = place});
    const Geometry across({.queries = layout,
                           .memory_lengths = memory.lengths,
                           .memory_of = filling.memory_of,
                           .place = place});
    Tensor x = stack_.embedded(filling.ids, positions_of(layout), pass);
    Decoded out;
    out.reports.resize(stack_.depth());
    for (size_t n = 0; n < stack_.depth(); ++n) {
      x = stack_.block(n)(x,
                          {.self_geometry = within,
                           .layout = &layout,
                           .cross_geometry = &across,
                           .cross_memory = &memory.layers[n],
                           .report = filling.report},
                          out.reports[n], pass);
    }
    out.logits = stack_.logits(x, pass);
    return out;
  }

  Decoded teach(const Remembered& memory, const Lesson& lesson, Pass& pass) const override {
    require(lesson.words != nullptr,
            "mask_predict: saw a lesson without the right words, needs them");
    const Tensor& right = *lesson.words;
    const Tensor is_hidden = hidden(right, lesson.layout, pass);
    const Tensor mask = Tensor::full({1}, specials().at(Special::mask), right.place());
    const Tensor seen = select(is_hidden, mask, right);
    Decoded out = fill(memory, {seen, lesson.layout, {}, lesson.report}, pass);
    out.targets = select(is_hidden, right, Tensor::full({1}, -1, right.place()));
    out.lengths = lengths(memory, pass);
    return out;
  }

  int64_t reporting_blocks() const override { return static_cast<int64_t>(stack_.depth()); }
  int64_t longest_source() const override { return stack_.block(0).cross().most_slots(); }
  int64_t longest_target() const override { return stack_.longest_target(); }
  bool scales_embedding() const override { return stack_.scales_embedding(); }
  std::vector<Special> needed_specials() const override { return {Special::mask}; }

 private:
  /// i32 [N]: 1 where a word is hidden; 0 elsewhere and at the end tokens.
  Tensor hidden(const Tensor& right, const Layout& layout, Pass& pass) const {
    const NoGrad no_gradients;
    const Tensor is_end = equal(right, Tensor::full({1}, specials().end(), right.place()));
    const Tensor none = Tensor::zeros({1}, right.place());
    const Tensor all = Tensor::full({1}, 1, right.place());
    if (!pass.trains()) {
      return select(is_end, none, all);
    }
    const Place place = right.place().with(DType::f32);
    const Tensor chance = Tensor::random(right.shape(), Distribution::uniform, pass.draw(), place);
    const Tensor share =
        Tensor::random({layout.count(), 1}, Distribution::uniform, pass.draw(), place);
    const Tensor each =
        to_rows(share + Tensor::zeros({layout.count(), layout.width()}, place), layout);
    return select(is_end, none, select(less(chance, each), all, none));
  }

  TransformerStack stack_{false};
  int64_t range_ = 20;
  Linear length_;
};

}  // namespace

std::unique_ptr<Decoder> mask_predict_decoder() { return std::make_unique<MaskPredict>(); }

}  // namespace heed
