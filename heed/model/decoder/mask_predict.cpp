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
//
// With length_from = "end" there is no p(n | x): every target has |x| + R positions, those after its words
// hold end tokens, which may be hidden too, and what is said ends at the first end token. Only the words
// and the first end are predicted. In training there are more positions if a target needs them.
#include <algorithm>

#include "heed/config/limits.h"
#include "heed/model/decoders.h"
#include "heed/model/transformer_stack.h"
#include "heed/nn/sentence_keys.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/cast.h"
#include "heed/ops/compare.h"
#include "heed/ops/gather.h"
#include "heed/ops/grid.h"
#include "heed/ops/reshape.h"
#include "heed/ops/select.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

enum class LengthFrom { classifier, end };

/// The targets of a batch on canvases: rows of a canvas ↔ rows of the targets.
struct Canvases {
  Layout layout;
  Tensor row_of_canvas;  // i32 [C]: the target's row; −1 behind its end
  Tensor canvas_of_row;  // i32 [N]
};

Tensor chosen_rows(const Tensor& rows, const Tensor& index) {
  const Tensor flat = reshape(rows, {rows.size(0), rows.numel() / rows.size(0)});
  return reshape(gather_rows(flat, index), rows.shape().with(0, index.size(0)));
}

class MaskPredict : public Parallel {
 public:
  void describe(Describer& d) override {
    stack_.describe_design(d);
    stack_.describe_words(d);
    d.setting("length_range", range_,
              {.help = "R: the largest difference between the number of words of target and source",
               .least = 0,
               .most = most_slots});
    d.setting("length_from", length_from_,
              {{"classifier", LengthFrom::classifier}, {"end", LengthFrom::end}},
              {"how the length of a target is found: predicted from the source, or by cutting at "
               "the first end token"});
    stack_.describe_parts(d);
    if (predicts_length()) {
      d.built("length", length_);
    }
  }

  void build(const DecoderWidths& widths, Init& init) override {
    stack_.build(widths, init);
    source_ends_ = widths.source_ends;
    if (predicts_length()) {
      length_.build(widths.memory, 2 * range_ + 1, init);
    }
  }

  bool predicts_length() const override { return length_from_ == LengthFrom::classifier; }
  int32_t canvas(int32_t rows) const override {
    const int64_t most = std::min<int64_t>(longest_target(), most_slots);
    const int64_t words = rows - (source_ends_ ? 1 : 0) + range_;
    return static_cast<int32_t>(std::clamp<int64_t>(words, 1, most));
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
    begin_positions(pass, layout, place);
    ResidualRows x(stack_.embedded(filling.ids, positions_of(layout), pass));
    Decoded out;
    out.reports.resize(stack_.depth());
    for (size_t n = 0; n < stack_.depth(); ++n) {
      stack_.block(n)(x,
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
    if (!predicts_length()) {
      return teach_on_canvases(memory, lesson, pass);
    }
    const Tensor& right = *lesson.words;
    const Tensor is_hidden = hidden(right, lesson.layout, pass, false);
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
  Decoded teach_on_canvases(const Remembered& memory, const Lesson& lesson, Pass& pass) const {
    const Tensor& right = *lesson.words;
    const Canvases canvases = canvases_of(memory.lengths, lesson.layout);
    const Tensor end = Tensor::full({1}, specials().end(), right.place());
    const Tensor behind =
        less(cast(canvases.row_of_canvas, stack_.place().dtype), 0);  // 1 behind the words
    const Tensor words = chosen_rows(unsqueeze(right, 1), canvases.row_of_canvas);
    const Tensor padded = select(cast(behind, DType::i32), end, squeeze(words, 1));
    const Tensor is_hidden = hidden(padded, canvases.layout, pass, true);
    const Tensor mask = Tensor::full({1}, specials().at(Special::mask), right.place());
    Decoded filled =
        fill(memory, {select(is_hidden, mask, padded), canvases.layout, {}, lesson.report}, pass);
    Decoded out;
    out.logits = chosen_rows(filled.logits, canvases.canvas_of_row);
    for (Attended& report : filled.reports) {
      for (Tensor Attended::*field : Attended::by_row()) {
        if ((report.*field).defined()) {
          report.*field = chosen_rows(report.*field, canvases.canvas_of_row);
        }
      }
      out.reports.push_back(std::move(report));
    }
    const Tensor hidden_words =
        squeeze(chosen_rows(unsqueeze(is_hidden, 1), canvases.canvas_of_row), 1);
    out.targets = select(hidden_words, right, Tensor::full({1}, -1, right.place()));
    return out;
  }

  Canvases canvases_of(const std::vector<int32_t>& sources, const Layout& targets) const {
    std::vector<int32_t> lengths;
    std::vector<int32_t> row_of_canvas;
    std::vector<int32_t> canvas_of_row;
    for (size_t b = 0; b < sources.size(); ++b) {
      const int32_t rows = targets.lengths()[b];
      lengths.push_back(std::max(canvas(sources[b]), rows));
      for (int32_t i = 0; i < lengths.back(); ++i) {
        if (i < rows) {
          canvas_of_row.push_back(static_cast<int32_t>(row_of_canvas.size()));
        }
        row_of_canvas.push_back(i < rows ? targets.starts()[b] + i : -1);
      }
    }
    const Place place = stack_.place();
    const auto tensor = [&place](const std::vector<int32_t>& index) {
      return Tensor::of(index, {static_cast<int64_t>(index.size())}, place.with(DType::i32));
    };
    return {Layout::packed(lengths, place), tensor(row_of_canvas), tensor(canvas_of_row)};
  }

  /// i32 [N]: 1 where a word is hidden, 0 elsewhere; end tokens are hidden only if `hides_ends`.
  Tensor hidden(const Tensor& right, const Layout& layout, Pass& pass, bool hides_ends) const {
    const NoGrad no_gradients;
    const Tensor none = Tensor::zeros({1}, right.place());
    const Tensor all = Tensor::full({1}, 1, right.place());
    const Tensor is_end = hides_ends
                              ? Tensor::zeros(right.shape(), right.place())
                              : equal(right, Tensor::full({1}, specials().end(), right.place()));
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
  LengthFrom length_from_ = LengthFrom::classifier;
  bool source_ends_ = true;
  Linear length_;
};

}  // namespace

std::unique_ptr<Decoder> mask_predict_decoder() { return std::make_unique<MaskPredict>(); }

}  // namespace heed
