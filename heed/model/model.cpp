#include "heed/model/model.h"

#include <algorithm>

#include "heed/config/limits.h"
#include "heed/model/decoders.h"
#include "heed/model/encoders.h"
#include "heed/model/fronts.h"
#include "heed/nn/drop.h"

namespace heed {

namespace {

template <class Kind>
Kind& of_kind(Decoder& decoder, const char* what_it_does) {
  if (decoder.writes_by() != Kind::how) {
    fail(Fault::usage, "model: the decoder {} is not one that {}; choose another decoder",
         decoder.kind(), what_it_does);
  }
  return static_cast<Kind&>(decoder);
}

/// Fails if the vocabulary lacks a special token that the decoder needs, as one that was learnt for
/// another decoder may.
void check_specials(const Decoder& decoder, const SpecialTokens& specials) {
  for (const SpecialName& one : special_names) {
    const std::vector<Special> needed = decoder.needed_specials();
    const bool is_needed = std::find(needed.begin(), needed.end(), one.which) != needed.end();
    require(!is_needed || specials.has(one.which),
            "decoder: the vocabulary lacks {}, the special token that {} needs; learn the "
            "vocabulary with this decoder",
            one.name, decoder.kind());
  }
}

/// The names of the decoders that need no source.
std::string decoders_without_source() {
  std::string names;
  for (const auto& entry : decoders()) {
    if (!entry.make()->needs_source()) {
      names += (names.empty() ? "" : ", ") + entry.name;
    }
  }
  return names;
}

void check_without_source(const Decoder& decoder, bool shares_embeddings) {
  require(!decoder.needs_source(),
          "decoder: {} looks at a source, and the encoder none reads nothing; choose one of {}, or "
          "another encoder",
          decoder.kind(), decoders_without_source());
  require(!shares_embeddings,
          "share_embeddings: the encoder none reads no words whose embeddings could be shared; "
          "leave it out");
}

/// Every cell of a picture is a slot that each step attends to, and its number is bounded by no weight.
void check_cells(const Front& front, const RowForm& source) {
  constexpr int64_t most_cells = 4096;
  const int64_t stride = front.stride();
  const int64_t height = (source.grid().height + stride - 1) / stride;
  const int64_t width = (source.grid().width + stride - 1) / stride;
  require(height * width <= most_cells,
          "front: pictures of {} × {} pixels make a grid of {} × {} cells, but at most {} are "
          "possible; choose smaller pictures, or a front with a larger stride",
          source.grid().height, source.grid().width, height, width, int64_t{most_cells});
}

}  // namespace

Model::Model()
    : front_(make_part(fronts(), "words")),
      encoder_(make_part(encoders(), "gru")),
      decoder_(make_part(decoders(), "attend_first")) {}

void Model::describe(Describer& d) {
  d.setting("embedding", embedding_width_,
            {.help = "channels of the encoder's input (of a source word's embedding)",
             .least = 1,
             .most = most_width});
  d.setting("share_embeddings", shares_embeddings_, {"one table for source and target words"});
  d.setting(
      "dropout", dropout_,
      {.help = "dropout of the encoder's input in training", .least = 0, .most = most_dropout});
  d.part("front", front_, fronts(), {"turns a field's rows into the encoder's input"});
  d.part("encoder", encoder_, encoders(), {"turns the encoder's input into memory"});
  d.part("decoder", decoder_, decoders(), {"turns memory into a target"});
  d.named_parts("decoders", others_, decoders(),
                "further decoders, which read the same memory; an objective teaches each");
  if (is_built() && reads_source()) {
    d.built("source", front_->layers());  // its name in model files since the first version
  }
}

void Model::build(const RowForm& source, const RowForm& target, Init& init) {
  FrontWidths widths{source, embedding_width_, false, nullptr};
  if (reads_source()) {
    encoder_->build(front_->width(widths), init);
  }
  const bool source_ends = source.words() > 0;
  build_decoder(*decoder_, target, source_ends, init);
  if (reads_source()) {
    widths.scales_words = decoder_->scales_embedding();
    widths.shared = shares_embeddings_ ? &autoregressive().embedding() : nullptr;
    front_->build(widths, init);
    check_cells(*front_, source);
  }
  for (const NamedPart<Decoder>& other : others_) {
    require(other.name != main_decoder, "decoders: {} is the name of model.decoder; choose another",
            other.name);
    build_decoder(*other.part, target, source_ends, init);
  }
  place_ = init.place();
}

void Model::build_decoder(Decoder& decoder, const RowForm& target, bool source_ends,
                          Init& init) const {
  if (!reads_source()) {
    check_without_source(decoder, shares_embeddings_);
  }
  check_specials(decoder, target.specials());
  decoder.set_vocabulary(target.specials(), target.words());
  decoder.build({encoder_->width(), encoder_->blocks(), target.words(), source_ends}, init);
}

void Model::build(const Fields& fields, Init& init) {
  check_source(*fields.source);
  build(fields.source->form(), fields.target->form(), init);
}

void Model::check_source(const Field& source) const {
  if (reads_source() && !source.is_none()) {
    check_pairing(*front_, source);
    if (source.row_kind() == RowKind::pixels && encoder_->stride() != 1) {
      fail(Fault::usage,
           "model.encoder: {} joins every {} rows into one, but the cells of a picture form a grid "
           "that must stay as it is; choose another encoder, or a front with larger cells",
           encoder_->kind(), encoder_->stride());
    }
  } else if (reads_source()) {
    fail(Fault::usage,
         "model.encoder: {} reads a source, and data.source = \"none\" has none; set data.source, "
         "or model.encoder = \"none\" for a language model",
         encoder_->kind());
  } else if (!source.is_none()) {
    fail(Fault::usage,
         "model.encoder: none reads nothing, but data.source = \"{}\"; set data.source = \"none\", "
         "or choose an encoder",
         source.kind());
  }
}

Encoded Model::encode(const FieldRows& source, Pass& pass) const {
  require(is_built(), "model: saw a call before build");
  if (!reads_source()) {
    return (*encoder_)({}, source.layout, pass);
  }
  const FieldRows input = (*front_)(source, pass);
  return (*encoder_)(drop(input.values, dropout_, pass), input.layout, pass);
}

Remembered Model::remember(const FieldRows& source, Pass& pass) const {
  return decoder_->remember(encode(source, pass), pass);
}

Autoregressive& Model::autoregressive() const {
  return of_kind<Autoregressive>(*decoder_, "says one word after the other");
}

Parallel& Model::parallel() const {
  return of_kind<Parallel>(*decoder_, "fills all positions at once");
}

Framewise& Model::framewise() const {
  return of_kind<Framewise>(*decoder_, "says a word or the blank at every frame");
}

Labelling& Model::labelling() const { return of_kind<Labelling>(*decoder_, "labels the source"); }

Decoder& Model::decoder(const std::string& name) const {
  if (name == main_decoder) {
    return *decoder_;
  }
  for (const NamedPart<Decoder>& other : others_) {
    if (other.name == name) {
      return *other.part;
    }
  }
  const std::vector<std::string> names = decoder_names();
  std::string list;
  for (const std::string& one : names) {
    list += (list.empty() ? "" : ", ") + one;
  }
  fail(Fault::usage, "model: there is no decoder \"{}\"; choose one of {}{}", name, list,
       did_you_mean(name, names));
}

std::vector<std::string> Model::decoder_names() const {
  std::vector<std::string> names = {main_decoder};
  for (const NamedPart<Decoder>& other : others_) {
    names.push_back(other.name);
  }
  return names;
}

std::vector<Special> Model::needed_specials() const {
  std::vector<Special> all;
  for (const std::string& name : decoder_names()) {
    const std::vector<Special> own = decoder(name).needed_specials();
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

Decoded Model::teach(const Batch& batch, const Report& report, Pass& pass, const Feed* feed) const {
  return teach(*decoder_, encode(batch.source, pass), batch, {report, feed}, pass);
}

Decoded Model::teach(const Decoder& decoder, const Encoded& encoded, const Batch& batch,
                     const TeachOptions& options, Pass& pass) {
  const Remembered memory = decoder.remember(encoded, pass);
  Decoder::Lesson lesson{batch.target_in,   batch.target, options.report, options.feed,
                         &batch.target_out, {},           options.by_slot};
  if (batch.words != nullptr) {
    lesson.host_words = batch.words->as<TokenId>();
  }
  Decoded decoded = decoder.teach(memory, lesson, pass);
  decoded.memory_lengths = memory.lengths;
  return decoded;
}

}  // namespace heed
