// ctc: at every frame a word or the blank, all at once, from the encoder's last block (Graves 2006).
//
//   h_{ju+m} = (U h_j)_m                m = 0 … u − 1, where every slot becomes u frames (u > 1: Libovický
//                                       and Helcl 2018), so that a target may be longer than the memory
//   p(π_t | x) = softmax(W h_t + b)     over the words and the blank
//
// A target is what remains of a path π when repeated words are merged and blanks removed (ops/ctc.h). In
// training the objective `ctc` sums over all paths of the right target. Where each word was said follows
// from the paths as well (model/ctc_paths.h), and is reported as attention's weights are, without gradient.
#include <algorithm>

#include "heed/model/ctc_paths.h"
#include "heed/model/decoders.h"
#include "heed/nn/drop.h"
#include "heed/nn/linear.h"
#include "heed/ops/reshape.h"

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
    if (frames_of_slot_ > 1) {
      d.built("split", split_);
    }
    d.built("output", output_);
  }

  void build(const DecoderWidths& widths, Init& init) override {
    width_ = widths.memory;
    if (frames_of_slot_ > 1) {
      split_.build_blocks(frames_of_slot_, width_, width_, init);
    }
    output_.build(width_, widths.vocabulary, init);
  }

  Remembered remember(const Encoded& encoded, Pass& /*pass*/) const override {
    return {{}, encoded.summary, encoded.layout.lengths(), encoded.blocks.back()};
  }

  Decoded at_frames(const Remembered& memory, Pass& pass) const override {
    std::vector<int32_t> lengths;
    for (const int32_t slots : memory.lengths) {
      lengths.push_back(slots * static_cast<int32_t>(frames_of_slot_));
    }
    Tensor rows = drop(memory.rows, dropout_, pass);
    if (frames_of_slot_ > 1) {
      rows = reshape(split_(rows, pass), {-1, width_});
    }
    Decoded out;
    out.logits = output_(rows, pass);
    out.frames = Layout::packed(lengths, rows.place());
    out.blank = specials().at(Special::blank);
    return out;
  }

  Decoded teach(const Remembered& memory, const Lesson& lesson, Pass& pass) const override {
    Decoded out = at_frames(memory, pass);
    if (lesson.report.weights && lesson.words != nullptr) {
      out.reports.resize(1);
      out.reports.front().weights = spikes(out, memory, lesson);
    }
    return out;
  }

  int64_t frames_of_slot() const override { return frames_of_slot_; }
  std::vector<Special> needed_specials() const override { return {Special::blank}; }

 private:
  /// [N, 1, S]: where each word of the targets was said.
  Tensor spikes(const Decoded& said, const Remembered& memory, const Lesson& lesson) const {
    int32_t slots = 0;
    for (const int32_t length : memory.lengths) {
      slots = std::max(slots, length);
    }
    const auto sentences = ctc_frames(said.logits, said.frames, said.blank);
    const std::vector<int32_t> words = lesson.words->values<int32_t>();
    std::vector<float> all(words.size() * static_cast<size_t>(slots), 0);
    for (size_t b = 0; b < sentences.size(); ++b) {
      const auto first = static_cast<size_t>(lesson.layout.starts()[b]);
      const auto count = static_cast<size_t>(lesson.layout.lengths()[b]) - 1;  // without the end
      const auto rows = by_slot(ctc_spikes(sentences[b], std::span(words).subspan(first, count)),
                                frames_of_slot_);
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
  Linear split_;
  Linear output_;
};

}  // namespace

std::unique_ptr<Decoder> ctc_decoder() { return std::make_unique<CtcDecoder>(); }

}  // namespace heed
