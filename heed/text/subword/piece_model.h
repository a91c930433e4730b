// A model as SentencePiece writes it (sentencepiece_model.proto): pieces with their scores, and how
// a text is normalised before it is split into them.
//
// Anybody may have written the file, so everything is checked: pieces are UTF-8, scores are finite,
// there is one unknown piece, and either each of the 256 bytes has a piece or none has. Anything
// else is an Error (Fault::file).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

/// The values are those of the file format.
enum class PieceKind : uint8_t {
  normal = 1,
  unknown = 2,
  control = 3,
  user_defined = 4,  // wherever a text has it, it is this piece
  unused = 5,        // no text has it
  byte = 6
};

struct ScoredPiece {
  std::string text;
  float score = 0;
  PieceKind kind = PieceKind::normal;
};

struct PieceModel {
  enum class Kind : uint8_t { unigram = 1, bpe = 2 };

  Kind kind = Kind::unigram;
  std::vector<ScoredPiece> pieces;
  int32_t unknown = 0;     // the piece for text that no other piece covers
  bool has_bytes = false;  // text that no piece covers is spelt in bytes

  std::string characters;            // the normaliser's map (subword/character_map.h); empty: none
  bool adds_blank_before = true;     // before a text, so that its first word is like the others
  bool removes_extra_blanks = true;  // at both ends, and all but one of a run
  bool marks_blanks = true;          // as ▁
};

inline constexpr std::string_view blank_mark = "\u2581";  // ▁

PieceModel read_piece_model(std::string_view bytes, std::string_view who);

}  // namespace heed
