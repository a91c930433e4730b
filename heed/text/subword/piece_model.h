// What SentencePiece writes when it has learnt (sentencepiece_model.proto): pieces with their
// scores, and how a text is normalised before it is cut into them.
//
// A model comes from a file that anybody may have written. So what is read here is checked: pieces
// are UTF-8, scores are finite, there is one unknown piece, and either each of the 256 bytes has a
// piece or none has. Anything else is an Error (Fault::file).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

/// The numbers are the file's.
enum class PieceKind : uint8_t { normal = 1, unknown = 2, control = 3, byte = 6 };

struct Piece {
  std::string text;
  float score = 0;
  PieceKind kind = PieceKind::normal;
};

struct PieceModel {
  enum class Kind : uint8_t { unigram = 1, bpe = 2 };

  Kind kind = Kind::unigram;
  std::vector<Piece> pieces;
  int32_t unknown = 0;     // which piece stands for whatever no other covers
  bool has_bytes = false;  // what no piece covers is spelt in bytes

  std::string characters;         // the normaliser's map (subword/character_map.h); empty: none
  bool adds_blank_before = true;  // a text begins with a blank, so that its first word is as others
  bool removes_extra_blanks = true;  // at both ends, and all but one of a run
  bool marks_blanks = true;          // as ▁
};

inline constexpr std::string_view blank_mark = "\u2581";  // ▁

PieceModel read_piece_model(std::string_view bytes, std::string_view who);

}  // namespace heed
