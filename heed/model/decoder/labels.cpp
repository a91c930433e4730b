// labels: one label for each row of the source, all computed at once from the encoder's last block.
//
//   p(y_j | x) = softmax(W h_j + b)
//
// So a target has as many labels as its source has rows. If both are texts, the label of the end
// token is the end token.
#include "heed/model/decoders.h"
#include "heed/nn/drop.h"
#include "heed/nn/linear.h"

namespace heed {
namespace {

class Labels : public Labelling {
 public:
  void describe(Describer& d) override {
    d.setting(
        "dropout", dropout_,
        {.help = "dropout of the encoder's rows in training", .least = 0, .most = most_dropout});
    d.built("output", output_);
  }
  void build(const DecoderWidths& widths, Init& init) override {
    output_.build(widths.memory, widths.vocabulary, init);
  }
  Remembered remember(const Encoded& encoded, Pass& /*pass*/) const override {
    return {{}, encoded.summary, encoded.layout.lengths(), encoded.blocks.back()};
  }
  Decoded teach(const Remembered& memory, const Lesson& lesson, Pass& pass) const override {
    const std::vector<int32_t>& labels = lesson.layout.lengths();
    for (size_t b = 0; b < labels.size(); ++b) {
      require(labels[b] == memory.lengths[b],
              "labels: saw {} labels for a source of {} rows, needs one for each; label every "
              "token, or choose a decoder that says words",
              labels[b], memory.lengths[b]);
    }
    return {label(memory, pass), {}};
  }
  Tensor label(const Remembered& memory, Pass& pass) const override {
    return output_(drop(memory.rows, dropout_, pass), pass);
  }
  int64_t reporting_blocks() const override { return 0; }

 private:
  double dropout_ = 0;
  Linear output_;
};

}  // namespace

std::unique_ptr<Decoder> labels_decoder() { return std::make_unique<Labels>(); }

}  // namespace heed
