#include "heed/model/transformer_stack.h"

#include <algorithm>

#include "heed/config/limits.h"
#include "heed/nn/drop.h"
#include "heed/ops/arithmetic.h"

namespace heed {

void TransformerStack::describe_words(Describer& d) {
  d.setting("tied", is_tied_, {"use the embedding as the output layer"});
  d.setting("scaled_embedding", is_scaled_, {"multiply embedded words by √width"});
  d.setting("tied_bias", has_tied_bias_,
            {"add a learnt number to the logit of every word if tied"});
  d.setting("untied_bias", has_untied_bias_, {"the same if not tied"});
  d.setting("output_factor", output_factor_,
            {.help = "what the output layer reads is multiplied by this",
             .least = 1e-6,
             .most = most_factor});
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
  d.parameter("output_bias", tied_bias_);
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
    output_->build_with(has_untied_bias_, design_.width, widths.vocabulary, init);
  } else if (has_tied_bias_) {
    tied_bias_ = init.zeros({widths.vocabulary});
  }
}

Tensor TransformerStack::embedded(const Tensor& ids, const RowPositions& at, Pass& pass) const {
  return drop((*positions_)((*embedding_)(ids), at), design_.dropout, pass);
}

Tensor TransformerStack::logits(ResidualRows& x, const Pass& pass) const {
  const Tensor normed = final_norm_ ? x.normed(*final_norm_) : x.rows();
  const Tensor y = output_factor_ == 1 ? normed : normed * output_factor_;
  return is_tied_ ? embedding_->logits(y, pass, tied_bias_) : (*output_)(y, pass);
}

int64_t TransformerStack::longest_target() const {
  return std::min(positions_->positions(), blocks_.front()->self().most_slots());
}

}  // namespace heed
