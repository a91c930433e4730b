// transformer: masked self-attention, cross-attention, feed-forward, each with residual and norm
// (Vaswani 2017). The cache holds the self-attention's keys and values of earlier words. Without a
// source there is no cross-attention: a language model (Radford 2018).
//
// Which encoder block the cross-attention of decoder block n reads (wiring):
//   last      the last one, for every n
//   matched   block n; the encoder must be as deep
//   mixed     Σ_m softmax(w_n)_m block_m, w learned
#include "heed/model/decoders.h"
#include "heed/model/transformer_stack.h"
#include "heed/nn/sentence_keys.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/compare.h"
#include "heed/ops/concat.h"
#include "heed/ops/select.h"
#include "heed/ops/slice.h"
#include "heed/ops/softmax.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

enum class Wiring { last, matched, mixed };

class TransformerDecoder : public Autoregressive {
 public:
  void describe(Describer& d) override {
    stack_.describe_design(d);
    d.setting("wiring", wiring_,
              {{"last", Wiring::last}, {"matched", Wiring::matched}, {"mixed", Wiring::mixed}},
              {"which encoder block a decoder block reads"});
    stack_.describe_words(d);
    d.parameter("mixture", mixture_);
    stack_.describe_parts(d);
  }

  void build(const DecoderWidths& widths, Init& init) override {
    reads_source_ = widths.memory > 0;
    const int64_t depth = stack_.design().depth;
    require(reads_source_ || wiring_ == Wiring::last,
            "decoder: there is no encoder whose blocks a wiring other than last could join; leave "
            "it out");
    require(wiring_ != Wiring::matched || widths.blocks == depth,
            "decoder: wiring = \"matched\" joins each block with its own, but there are {} encoder "
            "and {} decoder blocks; make them equal",
            widths.blocks, depth);
    stack_.build(widths, init);
    if (wiring_ == Wiring::mixed) {
      mixture_ = init.zeros({depth, widths.blocks});
    }
  }

  Remembered remember(const Encoded& encoded, Pass& /*pass*/) const override {
    Remembered memory{{}, encoded.summary, encoded.layout.lengths()};
    for (size_t n = 0; reads_source_ && n < stack_.depth(); ++n) {
      memory.layers.push_back(stack_.block(n).cross().remember(read(encoded, n), encoded.layout));
    }
    return memory;
  }

  State begin(std::shared_ptr<const Remembered> memory,
              std::span<const int32_t> memory_of) const override {
    State state(std::move(memory), memory_of, stack_.place());
    state.carried.resize(2 * stack_.depth());  // past weights of self- and cross-attention
    state.caches.resize(stack_.depth());
    return state;
  }

  Decoded teach(const Remembered& memory, const Lesson& lesson, Pass& pass) const override {
    const Place place = stack_.place();
    const Geometry within(
        {.queries = lesson.layout, .memory_lengths = lesson.layout.lengths(), .place = place});
    const Geometry across(
        {.queries = lesson.layout, .memory_lengths = memory.lengths, .place = place});
    const RowPositions at = positions_of(lesson.layout);
    const Tensor ids = lesson.feed == nullptr ? lesson.ids : fed(memory, lesson, at, pass);
    begin_positions(pass, lesson.layout, place);
    ResidualRows x(stack_.embedded(ids, at, pass));
    std::vector<Attended> reports(stack_.depth());
    for (size_t n = 0; n < stack_.depth(); ++n) {
      stack_.block(n)(x,
                      {.self_geometry = within,
                       .layout = &lesson.layout,
                       .cross_geometry = &across,
                       .cross_memory = layer(memory, n),
                       .report = lesson.report},
                      reports[n], pass);
    }
    return said(x, std::move(reports), pass);
  }

  Decoded step(State& state, const Tensor& ids, const Report& report, Pass& pass) const override {
    const RowPositions position = state.position();
    const Geometry within = state.within();
    const Geometry across = state.across();
    ResidualRows x(stack_.embedded(ids, position, pass));
    std::vector<Attended> reports(stack_.depth());
    for (size_t n = 0; n < stack_.depth(); ++n) {
      stack_.block(n)(x,
                      {.self_geometry = within,
                       .cache = &state.caches[n],
                       .position = &position,
                       .self_past = &state.carried[2 * n],
                       .cross_geometry = &across,
                       .cross_memory = layer(state.memory(), n),
                       .cross_past = &state.carried[2 * n + 1],
                       .report = report},
                      reports[n], pass);
    }
    state.advance();
    return said(x, std::move(reports), pass);
  }

  bool needs_source() const override { return false; }
  int64_t reporting_blocks() const override {
    return reads_source_ ? static_cast<int64_t>(stack_.depth()) : 0;
  }
  int64_t longest_source() const override {
    return reads_source_ ? stack_.block(0).cross().most_slots() : Decoder::longest_source();
  }
  int64_t longest_target() const override { return stack_.longest_target(); }
  Embedding& embedding() override { return stack_.embedding(); }
  bool scales_embedding() const override { return stack_.scales_embedding(); }

 private:
  /// The memory that block n attends to; null if there is no source.
  const Memory* layer(const Remembered& memory, size_t n) const {
    return reads_source_ ? &memory.layers[n] : nullptr;
  }
  /// The logits of the last block's rows, and the blocks' reports.
  Decoded said(ResidualRows& x, std::vector<Attended> reports, const Pass& pass) const {
    if (!reads_source_) {
      reports.clear();
    }
    return {stack_.logits(x, pass), std::move(reports)};
  }
  /// The encoder's rows that block n of the decoder reads.
  Tensor read(const Encoded& encoded, size_t n) const {
    if (wiring_ == Wiring::last) {
      return encoded.blocks.back();
    }
    if (wiring_ == Wiring::matched) {
      return encoded.blocks[n];
    }
    const Tensor shares = softmax(slice(mixture_, 0, static_cast<int64_t>(n), 1));  // [1, blocks]
    Tensor mixed;
    for (size_t m = 0; m < encoded.blocks.size(); ++m) {
      const Tensor part = encoded.blocks[m] * slice(shares, 1, static_cast<int64_t>(m), 1);
      mixed = mixed.defined() ? mixed + part : part;
    }
    return mixed;
  }
  /// The words that a lesson's policy feeds, for all positions at once. The model's own predictions
  /// come from a first pass over the right words (Mihaylova 2019: two passes).
  Tensor fed(const Remembered& memory, const Lesson& lesson, const RowPositions& at,
             Pass& pass) const {
    const Tensor is_start = less(at.number, Tensor::full({1}, 1, at.number.place()));
    const std::function<Tensor()> said = [&] {
      const NoGrad no_gradients;
      const Tensor logits = teach(memory, {lesson.ids, lesson.layout}, pass).logits;
      const int64_t rows = logits.size(0);  // row r predicts the word of row r + 1
      return rows == 1 ? logits
                       : concat({slice(logits, 0, 0, 1), slice(logits, 0, 0, rows - 1)}, 0);
    };
    const Tensor chosen =
        (*lesson.feed)({lesson.ids, stack_.embedding().words(), specials(), said}, pass);
    return select(is_start, lesson.ids, chosen);
  }

  TransformerStack stack_{true};
  Wiring wiring_ = Wiring::last;
  bool reads_source_ = true;
  Tensor mixture_;  // [depth, encoder blocks]
};

}  // namespace

std::unique_ptr<Decoder> transformer_decoder() { return std::make_unique<TransformerDecoder>(); }

}  // namespace heed
