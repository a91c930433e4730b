#include "heed/model/model.h"

#include "heed/config/limits.h"
#include "heed/model/decoders.h"
#include "heed/model/encoders.h"
#include "heed/model/fronts.h"
#include "heed/nn/drop.h"

namespace heed {

namespace {

template <class Kind>
Kind& of_kind(Decoder& decoder, const char* what_it_does) {
  auto* const found = dynamic_cast<Kind*>(&decoder);
  if (found == nullptr) {
    fail(Fault::usage, "model: saw the decoder {}, needs one that {}; choose another decoder",
         decoder.kind(), what_it_does);
  }
  return *found;
}

}  // namespace

Model::Model()
    : front_(make_part(fronts(), "words")),
      encoder_(make_part(encoders(), "gru")),
      decoder_(make_part(decoders(), "attend_first")) {}

void Model::describe(Describer& d) {
  d.setting("embedding", embedding_width_,
            {.help = "channels of the encoder's input, of a source word",
             .least = 1,
             .most = most_width});
  d.setting("share_embeddings", shares_embeddings_, {"one table for source and target words"});
  d.setting("dropout", dropout_,
            {.help = "of the encoder's input, in training", .least = 0, .most = most_dropout});
  d.part("front", front_, fronts(), {"what a field gives to the encoder's input"});
  d.part("encoder", encoder_, encoders(), {"the encoder's input to memory"});
  d.part("decoder", decoder_, decoders(), {"memory to target"});
  if (is_built()) {
    d.built("source", front_->layers());  // files have always called it so
  }
}

void Model::build(const RowForm& source, int64_t words, Init& init) {
  FrontWidths widths{source, embedding_width_, false, nullptr};
  encoder_->build(front_->width(widths), init);
  decoder_->build({encoder_->width(), encoder_->blocks(), words}, init);
  widths.scales_words = decoder_->scales_embedding();
  widths.shared = shares_embeddings_ ? &autoregressive().embedding() : nullptr;
  front_->build(widths, init);
  place_ = init.place();
}

void Model::build(const Fields& fields, Init& init) {
  check_pairing(*front_, *fields.source);
  build(fields.source->form(), fields.target->form().words(), init);
}

Encoded Model::encode(const FieldRows& source, Pass& pass) const {
  require(is_built(), "model: saw a call before build");
  const FieldRows input = (*front_)(source, pass);
  return (*encoder_)(drop(input.values, dropout_, pass), input.layout, pass);
}

Remembered Model::remember(const FieldRows& source, Pass& pass) const {
  return decoder_->remember(encode(source, pass), pass);
}

Autoregressive& Model::autoregressive() const {
  return of_kind<Autoregressive>(*decoder_, "says one word after the other");
}

Labelling& Model::labelling() const {
  return of_kind<Labelling>(*decoder_, "labels the source's rows");
}

Decoded Model::teach(const Batch& batch, const Report& report, Pass& pass, const Feed* feed) const {
  const Remembered memory = remember(batch.source, pass);
  Decoded decoded = decoder_->teach(memory, {batch.target_in, batch.target, report, feed}, pass);
  decoded.memory_lengths = memory.lengths;
  return decoded;
}

}  // namespace heed
