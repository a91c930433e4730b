// ctc: at every frame a word or the blank, all at once, from the encoder's last block (Graves 2006).
//
//   g_{ju+m} = (U h_j)_m                m = 0 … u − 1, where every slot becomes u frames (u > 1: Libovický
//                                       and Helcl 2018), so that a target may be longer than the memory
//   s = blocks(g, h)                    Transformer blocks over the frames, if any (model/ctc/frame_blocks.h)
//   p(π_t | x) = softmax(W s_t + b)     over the words and the blank
//
// A target is what remains of a path π when repeated words are merged and blanks removed (ops/ctc.h). In
// training the objective `ctc` sums over all paths of the right target. Where each word was said follows
// from the paths as well (model/ctc/paths.h), and with blocks from where its frames look; it is reported as
// attention's weights are, without gradient.
#include <algorithm>

#include "heed/attention/chosen_weights.h"
#include "heed/model/ctc/frame_blocks.h"
#include "heed/model/ctc/paths.h"
#include "heed/model/decoders.h"
#include "heed/nn/drop.h"
#include "heed/nn/linear.h"
#include "heed/ops/reshape.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

class CtcDecoder : public Framewise {
 public:
  void describe(Describer& d) override {
    d.setting("upsample", frames_of_slot_,
              {.help = "u: frames of every slot of the memory; above 1 where targets may be longer "
                       "than the memory",
               .least = 1,
               .most = 64});
    d.setting(
        "dropout", dropout_,
        {.help = "dropout of the encoder's rows in training", .least = 0, .most = most_dropout});
    d.child("blocks", blocks_);
    if (splits_) {
      d.built("split", split_);
    }
    d.built("output", output_);
  }

  void build(const DecoderWidths& widths, Init& init) override {
    width_ = blocks_.depth() > 0 ? blocks_.width() : widths.memory;
    splits_ = frames_of_slot_ > 1 || width_ != widths.memory;
    if (splits_) {
      split_.build_blocks(frames_of_slot_, widths.memory, width_, init);
    }
    blocks_.build(widths.memory, init);
    output_.build(width_, widths.vocabulary, init);
  }

  Remembered remember(const Encoded& encoded, Pass& /*pass*/) const override {
    return {blocks_.remember(encoded), encoded.summary, encoded.layout.lengths(),
            encoded.blocks.back()};
  }

  Decoded at_frames(const Remembered& memory, const Report& report, Pass& pass) const override {
    std::vector<int32_t> lengths;
    for (const int32_t slots : memory.lengths) {
      lengths.push_back(slots * static_cast<int32_t>(frames_of_slot_));
    }
    Tensor rows = drop(memory.rows, dropout_, pass);
    if (splits_) {
      rows = reshape(split_(rows, pass), {-1, width_});
    }
    Decoded out;
    const Layout frames = Layout::packed(lengths, rows.place());
    out.memory_lengths = memory.lengths;
    out.logits = output_(blocks_(rows, frames, memory, report, out.reports, pass), pass);
    out.framed = {frames, specials().at(Special::blank)};
    return out;
  }

  Decoded teach(const Remembered& memory, const Lesson& lesson, Pass& pass) const override {
    const bool reports = lesson.report.weights && !lesson.host_words.empty();
    Decoded out = at_frames(memory, {.weights = reports}, pass);
    std::vector<Attended> of_words(reports ? 1 : 0);
    if (reports) {
      of_words.front().weights = spikes(out, lesson);
    }
    out.reports = std::move(of_words);
    return out;
  }

  int64_t longest_source() const override {
    return std::min(blocks_.most_frames() / frames_of_slot_, blocks_.most_slots());
  }
  std::vector<Special> needed_specials() const override { return {Special::blank}; }

 private:
  /// [N, 1, S]: where each word of the targets was said.
  static Tensor spikes(const Decoded& said, const Lesson& lesson) {
    const NoGrad no_gradients;
    const int32_t slots = *std::max_element(said.memory_lengths.begin(), said.memory_lengths.end());
    const auto sentences = ctc_frames(said, chosen_weights(said.reports, -1, -1));
    const std::span<const TokenId> words = lesson.host_words;
    std::vector<float> all(words.size() * static_cast<size_t>(slots), 0);
    for (size_t b = 0; b < sentences.size(); ++b) {
      const auto first = static_cast<size_t>(lesson.layout.starts()[b]);
      const auto count = static_cast<size_t>(lesson.layout.lengths()[b]) - 1;  // without the end
      const auto rows = slot_spikes(sentences[b], words.subspan(first, count));
      for (size_t i = 0; i < rows.size(); ++i) {
        std::copy(rows[i].begin(), rows[i].end(),
                  all.begin() + static_cast<std::ptrdiff_t>((first + i) * slots));
      }
    }
    return Tensor::of(all, {static_cast<int64_t>(words.size()), 1, slots}, said.logits.place());
  }

  int64_t frames_of_slot_ = 1;
  double dropout_ = 0;
  int64_t width_ = 0;
  bool splits_ = false;
  FrameBlocks blocks_;
  Linear split_;
  Linear output_;
};

}  // namespace

std::unique_ptr<Decoder> ctc_decoder() { return std::make_unique<CtcDecoder>(); }

}  // namespace heed
