// The sentences of a search whose continuations are chosen alike, by one strategy with one set of
// settings. Each step chooses for every cohort by itself, so a sentence finds what it finds alone.
//
// A search with one cohort chooses among the rows of its decoders' states as they are. With
// several, each takes its own rows: its row i is row rows[i] of the states, in the order of its
// hypotheses.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "heed/search/frontier.h"
#include "heed/search/sentence_settings.h"
#include "heed/search/strategy.h"

namespace heed {

class Cohort {
 public:
  /// Fault::usage if the strategy refuses the settings.
  Cohort(const std::string& strategy, const SentenceSettings& settings,
         const SpecialTokens& specials, const Place& place);

  /// Whether sentences with these settings belong to it.
  bool takes(const SentenceSettings& settings) const;
  Strategy& strategy() const { return *strategy_; }
  size_t width() const { return static_cast<size_t>(strategy_->width()); }
  bool is_said(TokenId word) const;
  /// Special tokens that no output contains.
  const std::vector<TokenId>& suppressed() const { return suppressed_; }
  Frontier& frontier() { return frontier_; }
  const Frontier& frontier() const { return frontier_; }

  /// Sets the rows and scores of all hypotheses, [F, W]; a row of −1 is none. The only cohort of a
  /// search has all rows of the states, of which there are `rows_alone`; another passes 0.
  void place(std::vector<int32_t> cells, std::vector<float> scores, size_t rows_alone);
  /// The row in the states of each of its own rows.
  const std::vector<int32_t>& rows() const { return rows_; }
  /// Its rows of x, which has one for each row of the states.
  Tensor own(const Tensor& x) const;
  template <class T>
  std::vector<T> own(const std::vector<T>& x) const {
    std::vector<T> mine;
    for (const int32_t row : rows_) {
      mine.push_back(x[static_cast<size_t>(row)]);
    }
    return mine;
  }

  std::vector<int64_t> sentences;  // those under way, in the order in which they came

 private:
  std::unique_ptr<Strategy> strategy_;
  bool allow_unk_;
  std::vector<TokenId> suppressed_;
  Place place_;
  Frontier frontier_;
  std::vector<int32_t> rows_;
  Tensor at_;                   // the same on the device; undefined: all rows in their order
  std::vector<int32_t> cells_;  // its own row of each hypothesis; −1: none
  std::vector<float> scores_;
};

}  // namespace heed
