// The pieces that a source is searched in: sentences, parts of sentences, parts of a recording, or
// the whole.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heed/base/allowance.h"
#include "heed/engine/answer/answer.h"
#include "heed/engine/answer/pieces.h"
#include "heed/engine/answer/source_slots.h"
#include "heed/search/hypothesis.h"
#include "heed/search/sentence_options.h"

namespace heed {

/// How many tokens of text are searched together; one piece may have more. The memory of an encoder
/// grows with them: 30 kB each in the bundled translator.
inline constexpr size_t most_tokens_together = size_t{1} << 11;
/// How much of what is not text is read before it is searched: at 100 rows a second, 41 seconds of
/// sound.
inline constexpr size_t most_rows_together = size_t{1} << 12;
inline constexpr size_t most_bytes_together = size_t{1} << 24;  // of items

/// A part of a source, and the blanks after it.
struct SourcePart {
  Source source;
  std::string gap = {};
  std::string warning = {};
  std::optional<ReadSource> read = {};  // of a text that was read to see whether it fits
};

struct Piece {
  size_t number = 0;  // of its source
  size_t place = 0;   // among the pieces of its source
  SourcePart part;
  ReadSource read = {};      // once it is read
  HeldBytes held = {};       // of the item
  int64_t rows = 0;          // of the item
  bool keeps_links = false;  // only: the source is too long for a matrix of weights
  SentenceOptions options = {};
  std::string unlike = {};  // why it is unlike what the model learned from
  Item prepared = {};       // for a search, until it is found
  HeldBytes held_prepared = {};
  std::vector<Hypothesis> hypotheses = {};           // what was found, until they are replies
  std::optional<SourceSlots> slots = {};             // where replies say what was seen
  std::vector<Reply> found = std::vector<Reply>(1);  // an empty piece has an empty text
  std::vector<std::string> warnings = {};
};

/// Whether a piece is read just before it is searched, because it may be a large file.
bool is_read_late(const Field& source);

/// The pieces of source `i`, not read yet. `sentence` is what the options say of every sentence.
std::vector<Piece> pieces_of(const Source& source, size_t i, const TrainedModel& trained,
                             const AnswerOptions& options, const SentenceOptions& sentence);

/// Marks the pieces of a source for which a matrix of all weights would be too large. A target has
/// about as many words as its source.
void mark_if_long(std::span<Piece> pieces, const Field& source);

/// Where memory is short, both throw an OutOfMemory that names the file and says what helps. A
/// recording of more rows than the encoder has positions for is a Fault::usage.
void read_source(const TrainedModel& trained, Piece& piece);
void prepare_source(const Field& source, Piece& piece);

/// Frees what was prepared, and what was read.
void forget_prepared(Piece& piece);
void forget_source(Piece& piece);

}  // namespace heed
