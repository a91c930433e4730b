// What is noted of a step for those who watch, until the host reads it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "heed/ops/choose_words.h"
#include "heed/search/ensemble.h"
#include "heed/search/sentence_search.h"
#include "heed/search/watcher.h"

namespace heed {

/// A step on the device: the rows that are watched, and what was asked for of them.
struct WatchedRows {
  std::vector<int32_t> rows;
  RowWords rivals;  // [R, k]; undefined if nobody asked
  Looks looks;
  std::vector<Tensor> source;  // [Q, slots] of each look
  std::vector<Tensor> self;
};

/// The same on the host.
class ReadRows {
 public:
  explicit ReadRows(const WatchedRows& step);
  /// What the watcher of the sentence asked for of a hypothesis that the step continued. `slots` are
  /// those of its source.
  WatchedHypothesis of(const LiveHypothesis& live, const SentenceSearch& sentence,
                       int64_t slots) const;

 private:
  struct Matrix {
    int64_t columns = 0;
    std::vector<float> values;
  };
  std::vector<WatchedWord> rivals_of(int32_t row, const SentenceSearch& sentence) const;
  static std::vector<Matrix> read(const std::vector<Tensor>& all);
  static std::vector<std::vector<float>> rows_of(const std::vector<HeadChoice>& asked,
                                                 const std::vector<HeadChoice>& looks,
                                                 const std::vector<Matrix>& all, int32_t row,
                                                 int64_t count);

  const WatchedRows& step_;
  std::vector<int32_t> ids_;
  std::vector<float> log_probability_;
  std::vector<Matrix> source_;
  std::vector<Matrix> self_;
};

/// What became of a beam's candidates: `before` are its hypotheses when they were chosen, and its
/// first `finished` were finished then.
std::vector<WatchedContinuation> fates(const std::vector<Candidate>& candidates,
                                       const std::vector<LiveHypothesis>& before, size_t finished,
                                       const Beam& beam, TokenId end);

}  // namespace heed
