// What Transformer decoders have in common: embedded words with their positions, the blocks, and the
// output layer, which may be the embedding itself.
//
//   x = dropout(E y · √width + positions)        h = blocks(x)        logits = W f norm(h) + b
//
// W is E where the output is tied. Then there is usually no b; T5 has f = 1/√width (Raffel 2020).
#pragma once

#include <memory>
#include <vector>

#include "heed/model/decoder.h"
#include "heed/model/transformer_block.h"
#include "heed/nn/linear.h"

namespace heed {

class TransformerStack {
 public:
  /// A causal one may not look ahead.
  explicit TransformerStack(bool is_causal) : design_(true, is_causal) {}

  /// The settings of the blocks.
  void describe_design(Describer& d) { design_.describe(d); }
  /// The settings of embedding and output.
  void describe_words(Describer& d);
  /// What is built.
  void describe_parts(Describer& d);
  void build(const DecoderWidths& widths, Init& init);

  Tensor embedded(const Tensor& ids, const RowPositions& at, Pass& pass) const;
  Tensor logits(ResidualRows& x, const Pass& pass) const;

  const TransformerDesign& design() const { return design_; }
  size_t depth() const { return blocks_.size(); }
  const TransformerBlock& block(size_t n) const { return *blocks_[n]; }
  Embedding& embedding() { return *embedding_; }
  const Embedding& embedding() const { return *embedding_; }
  Place place() const { return embedding_->table().place(); }
  bool scales_embedding() const { return is_scaled_; }
  int64_t longest_target() const;

 private:
  TransformerDesign design_;
  bool is_tied_ = true;
  bool is_scaled_ = true;
  bool has_tied_bias_ = false;
  bool has_untied_bias_ = true;
  double output_factor_ = 1;
  std::unique_ptr<Embedding> embedding_;
  std::unique_ptr<PositionCode> positions_;
  std::vector<std::unique_ptr<TransformerBlock>> blocks_;
  std::unique_ptr<Norm> final_norm_;
  std::unique_ptr<Linear> output_;
  Tensor tied_bias_;  // [V], of a tied output
};

}  // namespace heed
