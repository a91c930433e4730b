// Byte-pair encoding: a text starts as its characters. Then, of all neighbours that together are a
// piece, those with the highest score are merged (of equal ones the leftmost), until there are
// none.
#include <algorithm>

#include "heed/text/subword/segment.h"

namespace heed {
namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);

/// A part of the text, linked to its neighbours; its size is 0 after it was merged into the left
/// one.
struct Symbol {
  std::size_t begin = 0;
  std::size_t size = 0;
  std::size_t before = none;
  std::size_t after = none;
  PieceTrie::Node node = PieceTrie::nowhere;  // the node of its bytes in the trie
};

/// Two neighbours that together are a piece.
struct Pair {
  float score = 0;
  std::size_t left = 0;
  std::size_t right = 0;
  std::size_t size = 0;
  PieceTrie::Node node = PieceTrie::nowhere;
};

/// The best comes out of the heap first.
bool is_worse(const Pair& a, const Pair& b) {
  return a.score < b.score || (a.score == b.score && a.left > b.left);
}

class Merging {
 public:
  Merging(std::string_view text, const PieceModel& model, const PieceTrie& trie)
      : text_(text), model_(model), trie_(trie) {}

  /// Splits text[begin, end).
  void cut(std::size_t begin, std::size_t end, std::vector<Segment>& out) {
    symbols_.clear();
    for (std::size_t at = begin; at < end;) {
      const std::size_t size = character_length(text_, at);
      const std::size_t count = symbols_.size();
      symbols_.push_back({at, size, count == 0 ? none : count - 1,
                          at + size < end ? count + 1 : none,
                          trie_.walk(PieceTrie::root, text_.substr(at, size))});
      at += size;
    }
    for (std::size_t right = 1; right < symbols_.size(); ++right) {
      consider(right - 1, right);
    }
    while (!pairs_.empty()) {
      std::pop_heap(pairs_.begin(), pairs_.end(), is_worse);
      const Pair pair = pairs_.back();
      pairs_.pop_back();
      merge(pair);
    }
    for (std::size_t at = 0; at != none; at = symbols_[at].after) {
      out.push_back(segment(symbols_[at]));
    }
  }

 private:
  void consider(std::size_t left, std::size_t right) {
    if (left == none || right == none) {
      return;
    }
    const Symbol& a = symbols_[left];
    const Symbol& b = symbols_[right];
    const PieceTrie::Node node = trie_.walk(a.node, text_.substr(b.begin, b.size));
    const int32_t piece = node == PieceTrie::nowhere ? PieceTrie::no_piece : trie_.piece(node);
    if (piece != PieceTrie::no_piece) {
      const float score = model_.pieces[static_cast<std::size_t>(piece)].score;
      pairs_.push_back({score, left, right, a.size + b.size, node});
      std::push_heap(pairs_.begin(), pairs_.end(), is_worse);
    }
  }

  void merge(const Pair& pair) {
    Symbol& left = symbols_[pair.left];
    Symbol& right = symbols_[pair.right];
    if (left.size == 0 || right.size == 0 || left.size + right.size != pair.size) {
      return;  // one of them was merged with another part meanwhile
    }
    left.size = pair.size;
    left.node = pair.node;
    left.after = right.after;
    if (right.after != none) {
      symbols_[right.after].before = pair.left;
    }
    right.size = 0;
    consider(left.before, pair.left);
    consider(pair.left, left.after);
  }

  Segment segment(const Symbol& symbol) const {
    const int32_t piece =
        symbol.node == PieceTrie::nowhere ? PieceTrie::no_piece : trie_.piece(symbol.node);
    return {text_.substr(symbol.begin, symbol.size),
            piece == PieceTrie::no_piece ? model_.unknown : piece};
  }

  std::string_view text_;
  const PieceModel& model_;
  const PieceTrie& trie_;
  std::vector<Symbol> symbols_;
  std::vector<Pair> pairs_;  // a heap
};

}  // namespace

std::vector<Segment> segment_bpe(std::string_view text, const PieceModel& model,
                                 const PieceTrie& trie, bool crosses_words) {
  std::vector<Segment> segments;
  Merging merging(text, model, trie);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t blank = crosses_words ? text.npos : text.find(blank_mark, begin + 1);
    const std::size_t end = std::min(blank, text.size());
    merging.cut(begin, end, segments);
    begin = end;
  }
  return segments;
}

}  // namespace heed
