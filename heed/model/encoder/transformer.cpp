// transformer: blocks of self-attention and feed-forward (Vaswani 2017). Every block's output is
// returned, after the final norm in the pre-norm form, so that decoders may read any block
// (cross-attention wiring).
#include <algorithm>

#include "heed/model/encoders.h"
#include "heed/model/summary.h"
#include "heed/model/transformer_block.h"
#include "heed/nn/drop.h"
#include "heed/nn/linear.h"

namespace heed {
namespace {

class TransformerEncoder : public Encoder {
 public:
  void describe(Describer& d) override {
    design_.describe(d);
    if (has_input_) {
      d.built("input", input_);
    }
    if (positions_) {
      d.built("positions", *positions_);
    }
    d.children("block", blocks_);
    if (final_norm_) {
      d.built("final_norm", *final_norm_);
    }
  }

  void build(int64_t input, Init& init) override {
    has_input_ = input != design_.width;
    if (has_input_) {
      input_.build(input, design_.width, init);
    }
    positions_ = design_.built_positions(init);
    for (int64_t i = 0; i < design_.depth; ++i) {
      blocks_.push_back(std::make_unique<TransformerBlock>());
      blocks_.back()->build(design_, 0, init);
    }
    if (design_.placement == Placement::pre) {
      final_norm_ = design_.built_norm(init);
    }
  }

  Encoded operator()(const Tensor& rows, const Layout& layout, Pass& pass) const override {
    const Tensor fitted = has_input_ ? input_(rows) : rows;
    ResidualRows x(drop((*positions_)(fitted, positions_of(layout)), design_.dropout, pass));
    const Geometry geometry(
        {.queries = layout, .memory_lengths = layout.lengths(), .place = rows.place()});
    Encoded out{layout, {}, {}};
    for (const auto& block : blocks_) {
      Attended unused;
      (*block)(x, {.self_geometry = geometry, .layout = &layout}, unused, pass);
      out.blocks.push_back(final_norm_ ? x.normed(*final_norm_) : x.rows());
    }
    out.summary = mean_of_rows(out.blocks.back(), layout);
    return out;
  }

  int64_t width() const override { return design_.width; }
  int64_t blocks() const override { return design_.depth; }
  int64_t longest_source() const override {
    return std::min(positions_->positions(), blocks_.front()->self().most_slots());
  }

 private:
  TransformerDesign design_{false, false};
  bool has_input_ = false;
  Linear input_;
  std::unique_ptr<PositionCode> positions_;
  std::vector<std::unique_ptr<TransformerBlock>> blocks_;
  std::unique_ptr<Norm> final_norm_;
};

}  // namespace

std::unique_ptr<Encoder> transformer_encoder() { return std::make_unique<TransformerEncoder>(); }

}  // namespace heed
