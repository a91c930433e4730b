// A model: any front, any encoder, any decoder with any attention. A model whose encoder reads
// nothing is a language model. Besides the main decoder there may be others, each with a name: they
// read the same memory, have their own objectives, and a search may use them as well.
#pragma once

#include <memory>

#include "heed/data/batch.h"
#include "heed/model/decoder.h"
#include "heed/model/encoder.h"
#include "heed/model/front.h"

namespace heed {

class Model : public Module {
 public:
  Model();

  void describe(Describer& d) override;
  void build(const RowForm& source, const RowForm& target, Init& init);
  void build(const Fields& fields, Init& init);
  /// Fault::usage if the model cannot read this field, or reads nothing although there is one.
  void check_source(const Field& source) const;
  /// False for a language model.
  bool reads_source() const { return encoder_->reads_source(); }
  bool is_built() const { return place_.backend != nullptr; }
  const Place& place() const { return place_; }

  Front& front() const { return *front_; }
  Encoder& encoder() const { return *encoder_; }
  /// The main decoder.
  Decoder& decoder() const { return *decoder_; }
  /// The decoder of this name; Fault::usage if there is none.
  Decoder& decoder(const std::string& name) const;
  static constexpr const char* main_decoder = "main";
  /// The main decoder's name comes first.
  std::vector<std::string> decoder_names() const;
  /// Special tokens that the target's vocabulary must have, beside end, unknown and start.
  std::vector<Special> needed_specials() const;
  /// The decoder as an autoregressive one; an Error if it is of another kind.
  Autoregressive& autoregressive() const;
  /// The decoder as a labelling one; an Error if it is of another kind.
  Labelling& labelling() const;
  /// The main decoder as a parallel one; an Error if it is of another kind.
  Parallel& parallel() const;
  /// The main decoder as a framewise one; an Error if it is of another kind.
  Framewise& framewise() const;

  Encoded encode(const FieldRows& source, Pass& pass) const;
  /// Encodes and prepares what a search needs.
  Remembered remember(const FieldRows& source, Pass& pass) const;
  /// The logits of every target position of the batch by the main decoder, given the words before
  /// it: the right ones unless `feed` chooses others.
  Decoded teach(const Batch& batch, const Report& report, Pass& pass,
                const Feed* feed = nullptr) const;
  struct TeachOptions {  // as in Decoder::Lesson
    Report report = {};
    const Feed* feed = nullptr;
    bool by_slot = false;
  };
  /// The same by any decoder, for the batch's source as it is encoded.
  static Decoded teach(const Decoder& decoder, const Encoded& encoded, const Batch& batch,
                       const TeachOptions& options, Pass& pass);

 private:
  void build_decoder(Decoder& decoder, const RowForm& target, bool source_ends, Init& init) const;

  int64_t embedding_width_ = 128;   // of the front's rows
  bool shares_embeddings_ = false;  // one table for source and target
  double dropout_ = 0;              // of the front's rows
  std::unique_ptr<Front> front_;
  std::unique_ptr<Encoder> encoder_;
  std::unique_ptr<Decoder> decoder_;
  std::vector<NamedPart<Decoder>> others_;
  Place place_;
};

}  // namespace heed
