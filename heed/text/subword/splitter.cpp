#include "heed/text/subword/splitter.h"

#include <algorithm>
#include <limits>

#include "heed/base/error.h"
#include "heed/text/byte_token.h"
#include "heed/text/subword/normalise.h"
#include "heed/text/subword/segment.h"
#include "heed/text/visible.h"

namespace heed {
namespace {

constexpr float unknown_penalty = 10;  // below the least score of a piece

}  // namespace

SubwordSplitter::SubwordSplitter(PieceModel model, std::string_view who)
    : model_(std::move(model)), characters_(model_.characters, who) {
  float least = std::numeric_limits<float>::max();
  for (std::size_t i = 0; i < model_.pieces.size(); ++i) {
    const ScoredPiece& piece = model_.pieces[i];
    const bool is_kept = piece.kind == PieceKind::user_defined;
    const bool is_unused = piece.kind == PieceKind::unused;
    if (piece.kind != PieceKind::normal && !is_kept && !is_unused) {
      continue;
    }
    if (!trie_.add(piece.text, static_cast<int32_t>(i))) {
      fail(Fault::file, "{}: the subword \"{}\" appears twice; the vocabulary is corrupt", who,
           make_visible(piece.text.substr(0, 60)));
    }
    if (is_kept) {
      kept_.add(piece.text, static_cast<int32_t>(i));
    }
    if (piece.kind == PieceKind::normal) {
      least = std::min(least, piece.score);
    }
    crosses_words_ =
        crosses_words_ || is_unused || piece.text.find(blank_mark, 1) != std::string::npos;
  }
  unknown_score_ = least - unknown_penalty;
}

std::vector<std::string> SubwordSplitter::split(std::string_view text) const {
  const std::string whole = normalised(text, model_, characters_, kept_);
  const std::vector<Segment> segments =
      model_.kind == PieceModel::Kind::bpe
          ? segment_bpe(whole, {model_, trie_, kept_}, crosses_words_)
          : segment_unigram(whole, {model_, trie_, kept_}, unknown_score_);
  std::vector<std::string> tokens;
  tokens.reserve(segments.size());
  bool is_after_unknown = false;
  for (const Segment& segment : segments) {
    const bool is_unknown = segment.piece == model_.unknown;
    if (is_unknown && model_.has_bytes) {
      for (const char byte : segment.text) {
        tokens.push_back(byte_token(static_cast<uint8_t>(byte)));
      }
    } else if (is_unknown && is_after_unknown) {
      tokens.back() += segment.text;  // neighbouring unknown characters are one token
    } else {
      tokens.emplace_back(segment.text);
    }
    is_after_unknown = is_unknown;
  }
  return tokens;
}

std::string SubwordSplitter::mapped(std::string_view text) const {
  return heed::mapped(text, characters_);
}

bool SubwordSplitter::knows(std::string_view token) const {
  const int32_t piece = trie_.find(token);
  if (piece != PieceTrie::no_piece) {
    return model_.pieces[static_cast<std::size_t>(piece)].kind != PieceKind::unused;
  }
  return model_.has_bytes && byte_of_token(token).has_value();
}

}  // namespace heed
