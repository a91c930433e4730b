#include "heed/search/hypothesis_tree.h"

#include <algorithm>

#include "heed/base/error.h"

namespace heed {

int32_t HypothesisTree::add(const Node& node) {
  nodes_.push_back(node);
  return nodes() - 1;
}

int32_t HypothesisTree::add_weights(std::span<const float> row) {
  require(!row.empty() && (rows_.empty() || row.size() == columns_),
          "search: saw a row of {} weights in a tree of rows of {}, needs as many", row.size(),
          columns_);
  columns_ = row.size();
  rows_.insert(rows_.end(), row.begin(), row.end());
  return static_cast<int32_t>(rows_.size() / columns_) - 1;
}

std::vector<int32_t> HypothesisTree::words(int32_t node) const {
  std::vector<int32_t> all;
  for (; node != root; node = (*this)[node].parent) {
    all.push_back((*this)[node].word);
  }
  std::reverse(all.begin(), all.end());
  return all;
}

std::vector<std::span<const float>> HypothesisTree::weights(int32_t node, int32_t last) const {
  std::vector<std::span<const float>> all;
  const auto take = [&](int32_t row) {
    if (row != none) {
      all.emplace_back(rows_.data() + static_cast<size_t>(row) * columns_, columns_);
    }
  };
  take(last);
  for (; node != root; node = (*this)[node].parent) {
    take((*this)[node].weights);
  }
  std::reverse(all.begin(), all.end());
  return all;
}

}  // namespace heed
