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
#include <algorithm>

#include "heed/config/limits.h"
#include "heed/model/decoders.h"
#include "heed/model/transformer_block.h"
#include "heed/nn/drop.h"
#include "heed/nn/linear.h"
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
    design_.describe(d);
    d.setting("tied", is_tied_, {"score words by the embedding itself"});
    d.setting("scaled_embedding", is_scaled_, {"embedded words times √width"});
    d.setting("length_range", range_,
              {.help = "R: the largest difference between the number of words of target and source",
               .least = 0,
               .most = most_slots});
    if (embedding_) {
      d.built("embedding", *embedding_);
      d.built("positions", *positions_);
    }
    d.children("block", blocks_);
    if (final_norm_) {
      d.built("final_norm", *final_norm_);
    }
    if (output_) {
      d.built("output", *output_);
    }
    d.built("length", length_);
  }

  void build(const DecoderWidths& widths, Init& init) override {
    embedding_ = std::make_unique<Embedding>(is_scaled_);
    embedding_->build(widths.vocabulary, design_.width, init);
    positions_ = design_.built_positions(init);
    for (int64_t i = 0; i < design_.depth; ++i) {
      blocks_.push_back(std::make_unique<TransformerBlock>());
      blocks_.back()->build(design_, widths.memory, init);
    }
    if (design_.placement == Placement::pre) {
      final_norm_ = design_.built_norm(init);
    }
    if (!is_tied_) {
      output_ = std::make_unique<Linear>();
      output_->build(design_.width, widths.vocabulary, init);
    }
    length_.build(widths.memory, 2 * range_ + 1, init);
  }

  Remembered remember(const Encoded& encoded, Pass& /*pass*/) const override {
    Remembered memory{{}, encoded.summary, encoded.layout.lengths()};
    for (const auto& block : blocks_) {
      memory.layers.push_back(block->cross().remember(encoded.blocks.back(), encoded.layout));
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
    const Place place = embedding_->table().place();
    const Layout& layout = filling.layout;
    const Geometry within({.queries = layout, .memory_lengths = layout.lengths(), .place = place});
    const Geometry across({.queries = layout,
                           .memory_lengths = memory.lengths,
                           .memory_of = filling.memory_of,
                           .place = place});
    const Tensor words = (*positions_)((*embedding_)(filling.ids), positions_of(layout));
    Tensor x = drop(words, design_.dropout, pass);
    Decoded out;
    out.reports.resize(blocks_.size());
    for (size_t n = 0; n < blocks_.size(); ++n) {
      x = (*blocks_[n])(x,
                        {.self_geometry = within,
                         .layout = &layout,
                         .cross_geometry = &across,
                         .cross_memory = &memory.layers[n],
                         .report = filling.report},
                        out.reports[n], pass);
    }
    const Tensor y = final_norm_ ? (*final_norm_)(x) : x;
    out.logits = is_tied_ ? embedding_->logits(y, pass) : (*output_)(y, pass);
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

  int64_t reporting_blocks() const override { return static_cast<int64_t>(blocks_.size()); }
  int64_t longest_source() const override { return blocks_.front()->cross().most_slots(); }
  int64_t longest_target() const override {
    return std::min(positions_->positions(), blocks_.front()->self().most_slots());
  }
  bool scales_embedding() const override { return is_scaled_; }
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

  TransformerDesign design_{true, false};
  bool is_tied_ = true;
  bool is_scaled_ = true;
  int64_t range_ = 20;
  std::unique_ptr<Embedding> embedding_;
  std::unique_ptr<PositionCode> positions_;
  std::vector<std::unique_ptr<TransformerBlock>> blocks_;
  std::unique_ptr<Norm> final_norm_;
  std::unique_ptr<Linear> output_;
  Linear length_;
};

}  // namespace

std::unique_ptr<Decoder> mask_predict_decoder() { return std::make_unique<MaskPredict>(); }

}  // namespace heed
