// labels: one label for each row of the source, all computed at once from the encoder's last block.
//
//   p(y_j | x) = softmax(W h_j + b)
//
// So a target has as many labels as its source has rows. The end token of a text has no label, and
// the end of the labels is not predicted.
#include "heed/model/decoders.h"
#include "heed/nn/drop.h"
#include "heed/nn/linear.h"
#include "heed/ops/gather.h"

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
    source_ends_ = widths.source_ends;
  }
  Remembered remember(const Encoded& encoded, Pass& /*pass*/) const override {
    return {{}, encoded.summary, encoded.layout.lengths(), encoded.blocks.back()};
  }
  Decoded teach(const Remembered& memory, const Lesson& lesson, Pass& pass) const override {
    const std::vector<int32_t>& rows = lesson.layout.lengths();  // labels and the end
    for (size_t b = 0; b < rows.size(); ++b) {
      const int32_t needed = labels_of(memory.lengths[b]);
      require(rows[b] == needed + 1,
              "labels: there are {} labels for a source of {} {}; label every one, or choose a "
              "decoder that says words",
              rows[b] - 1, needed, source_ends_ ? "tokens" : "rows");
    }
    require(lesson.words != nullptr, "labels: saw a lesson without the right labels, needs them");
    Decoded out;
    out.logits = source_ends_ ? logits(memory.rows, pass)
                              : logits(rows_of(memory, true), pass);  // the end's is not compared
    out.targets = without_ends(*lesson.words);
    return out;
  }
  bool labels_each_row() const override { return true; }
  int32_t labels_of(int32_t rows) const override { return rows - (source_ends_ ? 1 : 0); }
  Decoded label(const Remembered& memory, const Report& /*report*/, Pass& pass) const override {
    Decoded out;
    out.logits = logits(source_ends_ ? rows_of(memory, false) : memory.rows, pass);
    return out;
  }
  int64_t reporting_blocks() const override { return 0; }

 private:
  Tensor logits(const Tensor& rows, Pass& pass) const {
    return output_(drop(rows, dropout_, pass), pass);
  }
  /// The rows that have labels, and zeros for the end of each source if `with_ends`.
  Tensor rows_of(const Remembered& memory, bool with_ends) const {
    std::vector<int32_t> index;
    int32_t first = 0;
    for (const int32_t length : memory.lengths) {
      for (int32_t j = 0; j < labels_of(length); ++j) {
        index.push_back(first + j);
      }
      if (with_ends) {
        index.push_back(-1);
      }
      first += length;
    }
    const auto count = static_cast<int64_t>(index.size());
    return gather_rows(memory.rows,
                       Tensor::of(index, {count}, memory.rows.place().with(DType::i32)));
  }

  double dropout_ = 0;
  bool source_ends_ = true;
  Linear output_;
};

}  // namespace

std::unique_ptr<Decoder> labels_decoder() { return std::make_unique<Labels>(); }

}  // namespace heed
