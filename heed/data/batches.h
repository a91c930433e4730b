// Which sentences train together at which step: a pure function of (corpus, options, step), so that
// a resumed run needs no hidden state.
//
// Epoch e: shuffle by (seed, e); cut into pools; within a pool sort by length, so that a batch
// holds sentences of like length; cut into batches; shuffle the batches.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/data/corpus.h"

namespace heed {

struct BatchOptions {
  std::int64_t sentences = 64;  // at most in a batch; 0: any number
  std::int64_t tokens = 0;      // at most sentences × longest side (with </s>); 0: any number
  std::int64_t pool = 64;       // batches sorted by length together; 1 mixes all lengths
  std::uint64_t seed = 1;
};

class Batches {
 public:
  /// Keeps a reference to `corpus`, which must not be empty.
  Batches(const Corpus& corpus, const BatchOptions& options);

  /// The examples of batch `step`, counted from 0 and going on through the epochs. One thread at a
  /// time: the last epoch's plan is kept.
  std::vector<std::int64_t> at(std::int64_t step);
  /// The epoch that `step` falls in.
  std::int64_t epoch_of(std::int64_t step);

 private:
  using Plan = std::vector<std::vector<std::int64_t>>;
  Plan plan(std::int64_t epoch) const;

  const Corpus& corpus_;
  BatchOptions options_;
  std::vector<std::int64_t> starts_{0};  // the first step of each epoch known, and of the next
  std::int64_t planned_ = -1;            // the epoch of plan_
  Plan plan_;
};

/// Every example once, sorted by length, for validation.
std::vector<std::vector<std::int64_t>> sorted_batches(const Corpus& corpus,
                                                      const BatchOptions& options);

}  // namespace heed
