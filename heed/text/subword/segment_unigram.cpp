// The most probable segmentation, x = x₁ … x_k with the largest Σ log p(x_i), by Viterbi's
// algorithm over the bytes of the text:
//
//   best(0) = 0,     best(e) = max over pieces x that end at e of best(e − |x|) + log p(x)
//
// A character that is not a piece counts as an unknown one. User-defined pieces have a log p of −0.1,
// more than any other, and unused ones do not count. Of equal sums the first one found is
// kept. Sums are f32; each is computed in f64 and compared before it is rounded, as in
// SentencePiece.
#include <algorithm>

#include "heed/text/subword/segment.h"

namespace heed {
namespace {

constexpr double kept_score = -0.1;
constexpr std::size_t unreached = static_cast<std::size_t>(-1);

/// The best segmentation up to a position: its sum, and where its last piece begins.
struct Best {
  float score = 0;
  int32_t piece = 0;
  std::size_t begin = unreached;
};

void offer(Best& best, double score, std::size_t begin, int32_t piece) {
  if (best.begin == unreached || score > static_cast<double>(best.score)) {
    best = {static_cast<float>(score), piece, begin};
  }
}

std::vector<Segment> traced(std::string_view text, const std::vector<Best>& best) {
  std::vector<Segment> segments;
  for (std::size_t end = text.size(); end > 0; end = best[end].begin) {
    segments.push_back({text.substr(best[end].begin, end - best[end].begin), best[end].piece});
  }
  std::reverse(segments.begin(), segments.end());
  return segments;
}

}  // namespace

std::vector<Segment> segment_unigram(std::string_view text, const KnownPieces& known,
                                     float unknown_score) {
  const PieceTrie& trie = known.trie;
  std::vector<Best> best(text.size() + 1);
  for (std::size_t begin = 0; begin < text.size();) {
    const float before = best[begin].score;
    const std::size_t character = character_length(text, begin);
    bool is_known = false;
    PieceTrie::Node node = PieceTrie::root;
    for (std::size_t end = begin; end < text.size();) {
      node = trie.step(node, text[end++]);
      if (node == PieceTrie::nowhere) {
        break;
      }
      const int32_t piece = trie.piece(node);
      if (piece != PieceTrie::no_piece && !known.is(piece, PieceKind::unused)) {
        const auto own =
            static_cast<double>(known.model.pieces[static_cast<std::size_t>(piece)].score);
        const double score = known.is(piece, PieceKind::user_defined) ? kept_score : own;
        offer(best[end], score + static_cast<double>(before), begin, piece);
        is_known = is_known || end - begin == character;
      }
    }
    if (!is_known) {
      offer(best[begin + character], unknown_score + before, begin, known.model.unknown);
    }
    begin += character;
  }
  return traced(text, best);
}

}  // namespace heed
