#include "heed/model/model.h"

#include "heed/model/decoders.h"
#include "heed/model/encoders.h"
#include "heed/nn/drop.h"

namespace heed {

Model::Model()
    : encoder_(make_part(encoders(), "gru")), decoder_(make_part(decoders(), "attend_first")) {}

void Model::describe(Describer& d) {
  d.setting("embedding", embedding_width_, {.help = "channels of a source word", .least = 1});
  d.setting("share_embeddings", shares_embeddings_, {"one table for source and target words"});
  d.setting("dropout", dropout_,
            {.help = "of embedded source words, in training", .least = 0, .most = most_dropout});
  d.part("encoder", encoder_, encoders(), {"source to memory"});
  d.part("decoder", decoder_, decoders(), {"memory to target"});
  if (source_) {
    d.built("source", *source_);
  }
}

void Model::build(const VocabularySizes& sizes, Init& init) {
  place_ = init.place();
  encoder_->build(embedding_width_, init);
  decoder_->build({encoder_->width(), encoder_->blocks(), sizes.target}, init);
  source_ = std::make_unique<Embedding>(decoder_->scales_embedding());
  if (shares_embeddings_) {
    Embedding& target = decoder_->embedding();
    require(
        sizes.source == sizes.target && target.width() == embedding_width_,
        "model: sharing embeddings needs equal vocabularies and widths, saw {} × {} and {} × {}",
        sizes.source, embedding_width_, sizes.target, target.width());
    source_->tie(target);
  } else {
    source_->build(sizes.source, embedding_width_, init);
  }
}

Encoded Model::encode(const Tensor& ids, const Layout& layout, Pass& pass) const {
  require(is_built(), "model: saw a call before build");
  return (*encoder_)(drop((*source_)(ids), dropout_, pass), layout, pass);
}

Remembered Model::remember(const Tensor& ids, const Layout& layout, Pass& pass) const {
  return decoder_->remember(encode(ids, layout, pass), pass);
}

Decoded Model::teach(const Batch& batch, const Report& report, Pass& pass) const {
  const Remembered memory = remember(batch.source_ids, batch.source, pass);
  return decoder_->teach(memory, {batch.target_in, batch.target, report}, pass);
}

}  // namespace heed
