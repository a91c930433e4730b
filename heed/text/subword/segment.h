// Splits a normalised text into pieces by the most probable segmentation of a unigram language
// model (Kudo 2018) or by merging pairs (Sennrich et al. 2016). Both give the same result as
// SentencePiece, including rounding and ties. Memory is linear in the text.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "heed/text/subword/piece_model.h"
#include "heed/text/subword/piece_trie.h"

namespace heed {

struct Segment {
  std::string_view text;  // a part of the text that was split
  int32_t piece = 0;      // the model's unknown piece if this text is not a piece
};

struct KnownPieces {
  const PieceModel& model;
  const PieceTrie& trie;  // normal, user-defined and unused ones
  const PieceTrie& kept;  // user-defined ones

  bool is(int32_t piece, PieceKind kind) const {
    return model.pieces[static_cast<std::size_t>(piece)].kind == kind;
  }
};

std::vector<Segment> segment_unigram(std::string_view text, const KnownPieces& known,
                                     float unknown_score);
/// `crosses_words`: words cannot be split one by one, because some piece has a blank inside, or is
/// unused.
std::vector<Segment> segment_bpe(std::string_view text, const KnownPieces& known,
                                 bool crosses_words);

/// The length of the first character by its first byte, limited to the text.
std::size_t character_length(std::string_view text, std::size_t at);

}  // namespace heed
