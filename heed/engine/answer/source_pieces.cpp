#include "heed/engine/answer/source_pieces.h"

#include <algorithm>
#include <new>
#include <utility>

#include "heed/device/out_of_memory.h"
#include "heed/engine/answer/request.h"

namespace heed {
namespace {

/// Text is split into sentences and cut, recordings are cut at silence; other cells stay whole, and
/// so do recordings that are labelled. Of a text that gets one label as a whole, only the first
/// part is read if it is too long.
std::vector<SourcePart> parts_of(const Source& source, const TrainedModel& trained,
                                 const PieceOptions& how, double most_seconds) {
  const Field& field = *trained.fields.source;
  const auto* const labels = as<Labelling>(trained.model->decoder());
  std::vector<SourcePart> parts;
  if (!field.has_tokens()) {
    for (Source& part :
         labels == nullptr ? field.parts(source, most_seconds) : std::vector<Source>{source}) {
      parts.push_back({std::move(part)});
    }
    return parts;
  }
  for (PieceText& text : pieces_of(field.as_read(source.text()), field, how)) {
    parts.push_back({Source(std::move(text.text)), std::move(text.gap), std::move(text.warning),
                     std::move(text.read)});
  }
  if (labels != nullptr && !labels->labels_each_row() && parts.size() > 1) {
    parts.erase(parts.begin() + 1, parts.end());
    parts.front().warning =
        fmt::format("line {}: it has more than {} tokens; the label is that of its beginning",
                    how.line, how.most);
  }
  return parts;
}

/// A required phrase may be anywhere in a paragraph, so a paragraph with phrases stays whole. A
/// text of which the field reads no more than the limit is not cut into parts.
PieceOptions how_to_cut(const Field& source, const SentenceOptions& sentence,
                        const AnswerOptions& options, int64_t line) {
  const int64_t read = source.first_tokens();
  return {.splits = !options.is_whole && !source.is_one_text() && sentence.phrases.empty(),
          .most = read > 0 && read <= options.max_source ? 0 : options.max_source,
          .line = line};
}

/// What a message calls a source that is no text: its file, or what kind of bytes these are.
std::string name_of(const Field& field, const Source& source) {
  if (source.is_bytes()) {
    return std::string(field.kind());
  }
  const std::string& cell = source.cell();
  return cell.substr(0, std::min<size_t>(cell.find('\t'), 200));
}

/// Calls `work`, which reads a source. If memory is short, the Error names its file and says what
/// helps.
template <class Work>
auto naming_the_file(const Field& field, const Source& source, Work&& work) {
  const auto refuse = [&](const std::string& why) {
    const char* const cure = field.is_sound() ? "cut it, or search shorter parts (max_seconds)"
                             : field.row_kind() == RowKind::pixels ? "make the picture smaller"
                                                                   : "cut it";
    return OutOfMemory(fmt::format("{}: {}; {}", name_of(field, source), why, cure));
  };
  if (!is_read_late(field)) {
    return work();
  }
  try {
    return work();
  } catch (const OutOfMemory& error) {
    throw refuse(error.what());
  } catch (const std::bad_alloc&) {
    throw refuse("there is not enough memory to decode it");
  }
}

}  // namespace

bool is_read_late(const Field& source) { return !source.has_tokens() && !source.is_none(); }

std::vector<Piece> pieces_of(const Source& source, size_t i, const TrainedModel& trained,
                             const AnswerOptions& options, const SentenceOptions& sentence) {
  check_goes_on();
  const Field& field = *trained.fields.source;
  const int64_t number = options.first_line + static_cast<int64_t>(i);
  const PieceOptions how = how_to_cut(field, sentence, options, number);
  std::vector<SourcePart> parts = naming_the_file(
      field, source, [&] { return parts_of(source, trained, how, options.max_seconds); });
  std::vector<Piece> pieces;
  for (SourcePart& part : parts) {
    Piece piece{.number = i, .place = pieces.size(), .part = std::move(part)};
    if (!piece.part.warning.empty()) {
      piece.warnings.push_back(std::move(piece.part.warning));
    }
    if (are_seen(options)) {
      piece.found.front().seen.emplace();
    }
    piece.options = pieces.empty() ? sentence  // a prefix is for the first part
                                   : SentenceOptions{.start = sentence.start};
    if (field.is_none()) {
      const std::vector<TokenId> begun =
          trained.fields.target->vocabulary().encode(piece.part.source.text());
      piece.options.prefix.insert(piece.options.prefix.end(), begun.begin(), begun.end());
    }
    piece.options.number = number_of_part(number, static_cast<int64_t>(pieces.size()));
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

void mark_if_long(std::span<Piece> pieces, const Field& source) {
  size_t rows = 0;
  for (const Piece& piece : pieces) {
    rows += static_cast<size_t>(piece.rows);
  }
  const bool is_long =
      source.has_tokens() && pieces.size() > 1 && rows > most_weights / std::max<size_t>(rows, 1);
  for (Piece& piece : pieces) {
    piece.keeps_links = is_long;
  }
}

namespace {

/// Fails if the encoder has fewer positions than a recording needs.
void check_positions(const TrainedModel& trained, const Piece& piece) {
  const Field& field = *trained.fields.source;
  if (!field.is_sound()) {
    return;
  }
  const int64_t stride = trained.model->front().stride();
  const int64_t needed = (piece.rows + stride - 1) / stride;
  const int64_t most = trained.model->encoder().longest_source();
  if (needed > most) {
    fail(Fault::usage,
         "{}: the model hears {} positions at a time, and this has {}; search shorter parts "
         "(`max_seconds`)",
         name_of(field, piece.part.source), most, needed);
  }
}

}  // namespace

void read_source(const TrainedModel& trained, Piece& piece) {
  const Field& source = *trained.fields.source;
  check_goes_on();
  naming_the_file(source, piece.part.source, [&] {
    std::optional<ReadSource>& read = piece.part.read;
    piece.read = read ? *std::exchange(read, std::nullopt) : source.reading(piece.part.source);
    piece.held = HeldBytes(piece.read.item.size());
    return 0;
  });
  piece.rows = source.rows(piece.read.item);
  check_positions(trained, piece);
}

void prepare_source(const Field& source, Piece& piece) {
  piece.prepared = naming_the_file(source, piece.part.source, [&] {
    Item item = source.prepared(piece.read.item, std::nullopt);
    piece.held_prepared = HeldBytes(item.size());
    piece.unlike = source.unlike(item);
    return item;
  });
}

void forget_prepared(Piece& piece) {
  piece.prepared = Item();
  piece.held_prepared = HeldBytes();
}

void forget_source(Piece& piece) {
  piece.read = ReadSource();
  piece.held = HeldBytes();
}

}  // namespace heed
