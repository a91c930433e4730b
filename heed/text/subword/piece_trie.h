// A trie over the bytes of pieces. It tells which pieces begin at a position of a text, and whether
// two neighbouring pieces together are a piece. The edges are in one hash table, keyed by node and
// byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace heed {

class PieceTrie {
 public:
  using Node = uint32_t;
  static constexpr Node root = 0;
  static constexpr Node nowhere = 0xFFFFFFFF;
  static constexpr int32_t no_piece = -1;

  static constexpr std::size_t most_nodes = (1U << 24) - 1;

  PieceTrie();
  /// Adds a text; false if it was added before. An Error of kind `file` if there are more nodes
  /// than `most_nodes`.
  bool add(std::string_view text, int32_t piece);

  /// The node that the edge of this byte leads to, or nowhere.
  Node step(Node from, char byte) const {
    const uint32_t key = key_of(from, byte);
    for (std::size_t at = home_of(key);; at = (at + 1) & mask_) {
      const Edge& edge = edges_[at];
      if (edge.key == key) {
        return edge.to;
      }
      if (edge.key == 0) {
        return nowhere;
      }
    }
  }
  bool empty() const { return pieces_.size() == 1; }
  Node walk(Node from, std::string_view bytes) const;
  /// The piece that ends at this node.
  int32_t piece(Node node) const { return pieces_[node]; }
  /// The piece that is this text.
  int32_t find(std::string_view text) const;
  /// The size of the longest piece that the text begins with; 0 if there is none.
  std::size_t longest_before(std::string_view text) const;

 private:
  struct Edge {
    uint32_t key = 0;  // 0: free
    Node to = nowhere;
  };
  static uint32_t key_of(Node from, char byte) {
    return (from << 8 | static_cast<uint8_t>(byte)) + 1;
  }
  /// Takes the upper bits of a product, which are mixed best.
  std::size_t home_of(uint32_t key) const { return key * 0x9E3779B1U >> shift_; }
  Edge& place_of(uint32_t key);
  void grow();

  std::vector<Edge> edges_;  // a power of two, at most half of them used
  std::size_t mask_ = 0;
  int shift_ = 0;
  std::vector<int32_t> pieces_;  // of each node
};

}  // namespace heed
