// The words that a step forces on its rows and closes to them.
#include <algorithm>

#include "heed/search/search.h"

namespace heed {

/// The word that each row must take, −1: any. Empty where no sentence is inside its prefix.
std::vector<int32_t> Search::forced_words() const {
  std::vector<int32_t> ids(rows_.size(), -1);
  bool is_any = false;
  for (size_t row = 0; row < rows_.size(); ++row) {
    const SentenceSearch& sentence = sentences_.at(rows_[row].sentence);
    if (sentence.is_inside_prefix()) {
      ids[row] = sentence.options.prefix[static_cast<size_t>(sentence.length)];
      is_any = true;
    }
  }
  return is_any ? ids : std::vector<int32_t>();
}

/// The words that its rules close to every row; empty where no rule is on. A row inside its prefix
/// has none.
std::vector<std::vector<TokenId>> Search::closed_words() const {
  std::vector<std::vector<TokenId>> closed;
  for (const int64_t s : under_way()) {
    const SentenceSearch& sentence = sentences_.at(s);
    const RuleList& rules = sentence.settings().rules;
    if (rules.first_on() == nullptr) {
      continue;
    }
    closed.resize(rows_.size());
    for (const Beam& beam : sentence.beams) {
      for (const LiveHypothesis& live : beam.live) {
        if (!sentence.is_inside_prefix()) {
          closed[static_cast<size_t>(live.row)] =
              rules.closed(beam.tree.words(live.node), specials_);
        }
      }
    }
  }
  return closed;
}

/// i32 [Q, C], −1: none; undefined where nothing is closed.
Tensor Search::padded(const std::vector<std::vector<TokenId>>& closed) const {
  size_t most = 0;
  for (const auto& row : closed) {
    most = std::max(most, row.size());
  }
  if (most == 0) {
    return {};
  }
  std::vector<int32_t> ids(closed.size() * most, -1);
  for (size_t row = 0; row < closed.size(); ++row) {
    std::copy(closed[row].begin(), closed[row].end(),
              ids.begin() + static_cast<std::ptrdiff_t>(row * most));
  }
  return Tensor::of(ids, {static_cast<int64_t>(closed.size()), static_cast<int64_t>(most)},
                    place_.with(DType::i32));
}

}  // namespace heed
