// Shared by the recurrent decoders: the embedding, a stack of cells, an initial state from the
// summary (zero if there is no source), one `advance` for teaching and serving, and the output
// layer over the features of a step.
#pragma once

#include "heed/model/decoder.h"
#include "heed/model/stacked_reports.h"
#include "heed/nn/linear.h"
#include "heed/nn/recurrent_stack.h"

namespace heed {

class RecurrentDecoder : public Autoregressive {
 public:
  void describe(Describer& d) override;
  void build(const DecoderWidths& widths, Init& init) override;
  Remembered remember(const Encoded& encoded, Pass& pass) const override;
  State begin(std::shared_ptr<const Remembered> memory,
              std::span<const int32_t> memory_of) const override;
  Decoded teach(const Remembered& memory, const Lesson& lesson, Pass& pass) const override;
  Decoded step(State& state, const Tensor& ids, const Report& report, Pass& pass) const override;
  Embedding& embedding() override { return *embedding_; }
  bool scales_embedding() const override { return is_scaled_; }

 protected:
  struct Widths {
    int64_t embedding = 0;
    int64_t hidden = 0;
    int64_t memory = 0;  // of annotations and summary
  };
  /// The geometry of one step, what to report, and what the decoder reads.
  struct StepView {
    const Geometry& geometry;
    const Remembered& memory;
    const Tensor& summary;  // [Q, D], of each hypothesis's sentence, if the decoder reads it
    const Report& report;
    Attended* reported;
    Tensor* looked = nullptr;  // gets the state that attended, if it is wanted
  };

  /// The width of a cell's input, given the widths of what the decoder joins.
  virtual int64_t input_width(const Widths& widths) const = 0;
  virtual void build_parts(const Widths& widths, Init& init) = 0;
  virtual void describe_parts(Describer& d) = 0;
  /// Prepared memories, one for each attention.
  virtual std::vector<Memory> prepare(const Encoded& encoded) const = 0;
  /// Takes the step and returns the features [Q, F] that `score_words` turns into words.
  virtual Tensor advance(State& state, const Tensor& embedded, const StepView& view,
                         Pass& pass) const = 0;
  /// Features [N, F] → hidden layer [N, output_width]; all positions at once when teaching.
  virtual Tensor before_words(const Tensor& features, Pass& pass) const = 0;
  /// The features [N · S, F] of every position if it looked at one slot alone, given the states that
  /// attended, [N, H]; only if `says_by_slot`.
  virtual Tensor features_by_slot(const Tensor& looked, const Remembered& memory,
                                  const Layout& layout, Pass& pass) const;
  virtual int64_t output_width(const Widths& widths) const = 0;
  /// Whether a step reads the summary of its sentence.
  virtual bool reads_summary() const { return false; }
  /// The number of carried tensors besides the cells' states.
  virtual size_t carried_beside_cells() const { return 0; }

  bool reads_source() const { return reads_source_; }
  /// The top cell's hidden state [Q, H].
  Tensor top(const State& state) const;
  /// Feeds the cells x [Q, D]; returns the top one's output.
  Tensor run_cells(State& state, const Tensor& x, Pass& pass) const;
  /// The number of carried tensors that belong to the cells; a decoder's own follow them.
  size_t cell_tensors() const { return static_cast<size_t>(cells_.state_size()); }

 private:
  Tensor words(const Tensor& features, Pass& pass) const;
  /// What `teach` keeps of its steps.
  struct Taught {
    std::vector<Tensor> features;
    std::vector<Tensor> looked;  // the states that attended, if they are wanted
    StackedReports reports;
  };
  Taught taught_steps(const Remembered& memory, const Lesson& lesson, Pass& pass) const;
  /// The embedded words [B, E] that a policy feeds instead of `right` (i32 [B]), after the step
  /// that made these features.
  Tensor fed(const Feed& feed, const Tensor& right, const Tensor& features, Pass& pass) const;

  int64_t embedding_width_ = 128;
  bool is_tied_ = false;
  bool is_scaled_ = false;
  double dropout_ = 0;
  bool reads_source_ = true;
  RecurrentStack cells_{{.is_one_way = true}};
  std::unique_ptr<Embedding> embedding_;
  Linear initial_;  // summary → first hidden states
  std::unique_ptr<Linear> output_;
};

}  // namespace heed
