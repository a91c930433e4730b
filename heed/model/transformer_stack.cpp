#include "heed/model/transformer_stack.h"

#include <algorithm>

#include "heed/nn/drop.h"

namespace heed {

void TransformerStack::describe_words(Describer& d) {
  d.setting("tied", is_tied_, {"use the embedding as the output layer"});
  d.setting("scaled_embedding", is_scaled_, {"multiply embedded words by √width"});
}

void TransformerStack::describe_parts(Describer& d) {
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
}

void TransformerStack::build(const DecoderWidths& widths, Init& init) {
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
}

Tensor TransformerStack::embedded(const Tensor& ids, const RowPositions& at, Pass& pass) const {
  return drop((*positions_)((*embedding_)(ids), at), design_.dropout, pass);
}

Tensor TransformerStack::logits(ResidualRows& x, const Pass& pass) const {
  const Tensor y = final_norm_ ? x.normed(*final_norm_) : x.rows();
  return is_tied_ ? embedding_->logits(y, pass) : (*output_)(y, pass);
}

int64_t TransformerStack::longest_target() const {
  return std::min(positions_->positions(), blocks_.front()->self().most_slots());
}

}  // namespace heed
