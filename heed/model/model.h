// A model: source embedding, any encoder, any decoder with any attention.
#pragma once

#include <memory>

#include "heed/data/batch.h"
#include "heed/model/decoder.h"
#include "heed/model/encoder.h"

namespace heed {

struct VocabularySizes {
  int64_t source = 0;
  int64_t target = 0;
};

class Model : public Module {
 public:
  Model();

  void describe(Describer& d) override;
  void build(const VocabularySizes& sizes, Init& init);
  bool is_built() const { return place_.backend != nullptr; }
  const Place& place() const { return place_; }

  Encoder& encoder() const { return *encoder_; }
  Decoder& decoder() const { return *decoder_; }

  Encoded encode(const Tensor& ids, const Layout& layout, Pass& pass) const;
  /// Encodes and prepares: what a search needs.
  Remembered remember(const Tensor& ids, const Layout& layout, Pass& pass) const;
  /// Logits of every target position of the batch.
  Decoded teach(const Batch& batch, const Report& report, Pass& pass) const;

 private:
  int64_t embedding_width_ = 128;
  bool shares_embeddings_ = false;  // one table for source and target
  double dropout_ = 0;              // of the embedded source
  std::unique_ptr<Encoder> encoder_;
  std::unique_ptr<Decoder> decoder_;
  std::unique_ptr<Embedding> source_;
  Place place_;
};

}  // namespace heed
