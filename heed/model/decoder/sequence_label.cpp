// sequence_label (Lin 2017, section 2.1): one label for the whole source. Its rows are pooled by
// attention with a query that is learnt and is the same for every source.
//
//   α = normalise(score(q, h))        c = Σ_j α_j h_j        p(y | x) = softmax(W c + b)
//
// With the additive score, vᵀ tanh(W_k h_j + (W_q q + b)), this is the paper's w_s2 tanh(W_s1 Hᵀ) with
// a bias; its r hops are heads. A target is one label, and its end is not predicted.
#include "heed/model/decoders.h"
#include "heed/nn/drop.h"
#include "heed/nn/linear.h"
#include "heed/nn/sentence_keys.h"
#include "heed/ops/gather.h"

namespace heed {
namespace {

class SequenceLabel : public Labelling {
 public:
  void describe(Describer& d) override {
    d.setting("dropout", dropout_,
              {.help = "dropout of the pooled row in training", .least = 0, .most = most_dropout});
    d.child("attention", attention_);
    d.parameter("query", query_);
    d.built("output", output_);
  }
  void build(const DecoderWidths& widths, Init& init) override {
    query_ = init.normal({1, widths.memory}, 1);
    attention_.build({widths.memory, widths.memory, 0}, init);
    output_.build(attention_.width(), widths.vocabulary, init);
  }
  Remembered remember(const Encoded& encoded, Pass& /*pass*/) const override {
    Remembered memory{{}, encoded.summary, encoded.layout.lengths()};
    memory.layers.push_back(attention_.remember(encoded.blocks.back(), encoded.layout));
    return memory;
  }
  Decoded teach(const Remembered& memory, const Lesson& lesson, Pass& pass) const override {
    for (const int32_t rows : lesson.layout.lengths()) {
      require(rows == 2,
              "sequence_label: the target has {} labels, but the whole source has one; give one, "
              "or choose the decoder labels for one a token",
              rows - 1);
    }
    require(lesson.words != nullptr,
            "sequence_label: saw a lesson without the right labels, needs them");
    Decoded out = pooled(memory, lesson.layout, lesson.report, pass);
    out.targets = without_ends(*lesson.words);
    return out;
  }
  bool labels_each_row() const override { return false; }
  int32_t labels_of(int32_t /*rows*/) const override { return 1; }
  Decoded label(const Remembered& memory, const Report& report, Pass& pass) const override {
    const std::vector<int32_t> ones(memory.lengths.size(), 1);
    return pooled(memory, Layout::packed(ones, query_.place()), report, pass);
  }
  int64_t reporting_blocks() const override { return 1; }
  int64_t longest_source() const override { return attention_.most_slots(); }

 private:
  /// The logits of each row of `layout`; all rows of a source are equal.
  Decoded pooled(const Remembered& memory, const Layout& layout, const Report& report,
                 Pass& pass) const {
    const Geometry geometry(
        {.queries = layout, .memory_lengths = memory.lengths, .place = query_.place()});
    begin_positions(pass, layout, query_.place());
    const Tensor first = Tensor::zeros({layout.rows()}, query_.place().with(DType::i32));
    const Tensor query = gather_rows(query_, first);
    Decoded out;
    out.reports.push_back(
        attend(attention_, {query, geometry, memory.layers[0], {}, report}, pass));
    out.logits = output_(drop(out.reports[0].context, dropout_, pass), pass);
    return out;
  }

  double dropout_ = 0;
  Tensor query_;  // [1, D]
  Attention attention_;
  Linear output_;
};

}  // namespace

std::unique_ptr<Decoder> sequence_label_decoder() { return std::make_unique<SequenceLabel>(); }

}  // namespace heed
