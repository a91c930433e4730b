// The hypotheses of a beam as a tree. A node adds a word to its parent, so hypotheses share the words
// that they have in common, and a step costs as much late as early. The row of attention weights with
// which a word was chosen is kept once for all the words that were chosen with it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace heed {

class HypothesisTree {
 public:
  static constexpr int32_t root = 0;
  static constexpr int32_t none = -1;

  struct Node {
    int32_t parent = none;
    int32_t word = none;         // the root has none
    int32_t weights = none;      // the row with which the word was chosen
    double log_probability = 0;  // of all words from the root to this one
  };

  HypothesisTree() : nodes_(1) {}

  /// The number of the new node.
  int32_t add(const Node& node);
  const Node& operator[](int32_t node) const { return nodes_[static_cast<size_t>(node)]; }
  /// With the root.
  int32_t nodes() const { return static_cast<int32_t>(nodes_.size()); }
  /// The number of the new row. All rows of a tree have the same length.
  int32_t add_weights(std::span<const float> row);

  /// The words from the root to the node.
  std::vector<int32_t> words(int32_t node) const;
  /// The rows with which they were chosen, and `last` behind them unless it is `none`.
  std::vector<std::span<const float>> weights(int32_t node, int32_t last = none) const;

 private:
  std::vector<Node> nodes_;
  std::vector<float> rows_;
  size_t columns_ = 0;
};

}  // namespace heed
