// Byte-pair encoding: a text starts as its characters. Then, of all neighbours that together are a
// piece, those with the highest score are merged (of equal ones the leftmost), until there are
// none. A user-defined piece is there from the beginning and is never merged; an unused one that came
// about is cut again into the two that it was made of.
#include <algorithm>
#include <unordered_map>

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
  bool is_kept = false;                       // as it is: a user-defined piece
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
  Merging(std::string_view text, const KnownPieces& known)
      : text_(text), model_(known.model), trie_(known.trie), known_(known) {}

  /// Splits text[begin, end).
  void cut(std::size_t begin, std::size_t end, std::vector<Segment>& out) {
    symbols_.clear();
    for (std::size_t at = begin; at < end;) {
      const std::size_t kept = known_.kept.longest_before(text_.substr(at, end - at));
      const std::size_t size = kept > 0 ? kept : character_length(text_, at);
      const std::size_t count = symbols_.size();
      symbols_.push_back({at, size, count == 0 ? none : count - 1,
                          at + size < end ? count + 1 : none,
                          trie_.walk(PieceTrie::root, text_.substr(at, size)), kept > 0});
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
      add(symbols_[at], out);
    }
  }

 private:
  void consider(std::size_t left, std::size_t right) {
    if (left == none || right == none) {
      return;
    }
    const Symbol& a = symbols_[left];
    const Symbol& b = symbols_[right];
    if (a.is_kept || b.is_kept) {
      return;
    }
    const PieceTrie::Node node = trie_.walk(a.node, text_.substr(b.begin, b.size));
    const int32_t piece = piece_at(node);
    if (piece != PieceTrie::no_piece) {
      const float score = model_.pieces[static_cast<std::size_t>(piece)].score;
      pairs_.push_back({score, left, right, a.size + b.size, node});
      std::push_heap(pairs_.begin(), pairs_.end(), is_worse);
      if (known_.is(piece, PieceKind::unused)) {
        first_part_[piece] = a.size;
      }
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

  int32_t piece_at(PieceTrie::Node node) const {
    return node == PieceTrie::nowhere ? PieceTrie::no_piece : trie_.piece(node);
  }

  /// Adds a symbol, or the parts that an unused one was made of.
  void add(const Symbol& symbol, std::vector<Segment>& out) const {
    add(text_.substr(symbol.begin, symbol.size), piece_at(symbol.node), out);
  }
  void add(std::string_view text, int32_t piece, std::vector<Segment>& out) const {
    const auto first = first_part_.find(piece);
    if (first == first_part_.end()) {
      out.push_back({text, piece == PieceTrie::no_piece ? model_.unknown : piece});
      return;
    }
    for (const std::string_view part :
         {text.substr(0, first->second), text.substr(first->second)}) {
      add(part, trie_.find(part), out);  // shorter than the longest piece, so not deep
    }
  }

  std::string_view text_;
  const PieceModel& model_;
  const PieceTrie& trie_;
  const KnownPieces& known_;
  std::vector<Symbol> symbols_;
  std::vector<Pair> pairs_;                              // a heap
  std::unordered_map<int32_t, std::size_t> first_part_;  // of unused pieces: its size
};

}  // namespace

std::vector<Segment> segment_bpe(std::string_view text, const KnownPieces& known,
                                 bool crosses_words) {
  std::vector<Segment> segments;
  Merging merging(text, known);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t blank = crosses_words ? text.npos : text.find(blank_mark, begin + 1);
    const std::size_t end = std::min(blank, text.size());
    merging.cut(begin, end, segments);
    begin = end;
  }
  return segments;
}

}  // namespace heed
