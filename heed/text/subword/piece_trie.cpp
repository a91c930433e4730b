#include "heed/text/subword/piece_trie.h"

#include <bit>
#include <utility>

#include "heed/base/error.h"

namespace heed {
namespace {

constexpr std::size_t first_edges = 4096;

}  // namespace

PieceTrie::PieceTrie()
    : edges_(first_edges),
      mask_(first_edges - 1),
      shift_(33 - std::bit_width(first_edges)),
      pieces_{no_piece} {}

bool PieceTrie::add(std::string_view text, int32_t piece) {
  Node node = root;
  for (const char byte : text) {
    const uint32_t key = key_of(node, byte);
    if (place_of(key).key == 0) {
      if (2 * pieces_.size() >= edges_.size()) {
        grow();
      }
      place_of(key) = {key, static_cast<Node>(pieces_.size())};
      pieces_.push_back(no_piece);
    }
    node = place_of(key).to;
  }
  return std::exchange(pieces_[node], piece) == no_piece;
}

PieceTrie::Edge& PieceTrie::place_of(uint32_t key) {
  std::size_t at = home_of(key);
  while (edges_[at].key != 0 && edges_[at].key != key) {
    at = (at + 1) & mask_;
  }
  return edges_[at];
}

void PieceTrie::grow() {
  if (edges_.size() > most_nodes) {
    fail(Fault::file,
         "subwords: there are more than {} beginnings of pieces; the vocabulary is corrupt",
         edges_.size() / 2);
  }
  const std::vector<Edge> old = std::exchange(edges_, std::vector<Edge>(2 * edges_.size()));
  mask_ = edges_.size() - 1;
  --shift_;
  for (const Edge& edge : old) {
    if (edge.key != 0) {
      place_of(edge.key) = edge;
    }
  }
}

PieceTrie::Node PieceTrie::walk(Node from, std::string_view bytes) const {
  for (const char byte : bytes) {
    if (from == nowhere) {
      break;
    }
    from = step(from, byte);
  }
  return from;
}

int32_t PieceTrie::find(std::string_view text) const {
  const Node node = walk(root, text);
  return node == nowhere ? no_piece : piece(node);
}

std::size_t PieceTrie::longest_before(std::string_view text) const {
  std::size_t longest = 0;
  Node node = root;
  for (std::size_t size = 1; size <= text.size(); ++size) {
    node = step(node, text[size - 1]);
    if (node == nowhere) {
      break;
    }
    longest = piece(node) == no_piece ? longest : size;
  }
  return longest;
}

}  // namespace heed
