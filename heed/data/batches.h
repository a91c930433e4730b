// Which sentences are in the batch of a step: a pure function of (corpus, options, step), so that a
// resumed run needs no hidden state.
//
// Epoch e: shuffle by (seed, e); cut into pools; within a pool sort by length, so that a batch
// holds sentences of similar length; cut into batches; shuffle the batches.
//
// With a curriculum an epoch has only the examples that are short enough at its first step.
//
// For a corpus larger than its window this is done one window at a time: the corpus is cut into
// blocks of neighbours, the blocks are shuffled by (seed, e), and a window is the next few blocks.
// So memory holds one window, whatever the size of the corpus.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/config/described.h"
#include "heed/data/corpus.h"
#include "heed/data/curriculum.h"

namespace heed {

struct BatchOptions {
  /// Lists the settings for their owner; the seed is the owner's own setting.
  void describe(Describer& d);

  std::int64_t sentences = 64;  // limit of sentences in a batch; 0: none
  std::int64_t tokens = 0;      // limit of sentences × longest side (with </s>); 0: none
  std::int64_t pool = 64;       // batches sorted by length together; 1 mixes all lengths
  std::uint64_t seed = 1;
  std::int64_t threads = 2;  // for preparing batches, which do not depend on their number
  Curriculum curriculum = {};
};

class Batches {
 public:
  /// Keeps a reference to `corpus`, which must not be empty.
  Batches(const Corpus& corpus, const BatchOptions& options);

  /// The examples of batch `step`, which counts from 0 through all epochs. Only one thread may call
  /// at a time, because the last window's plan is kept. The first call counts the batches of all
  /// windows before that step.
  std::vector<std::int64_t> at(std::int64_t step);
  /// The number of batches of the first epoch, or of what it would be without a curriculum.
  std::int64_t in_whole_epoch() const;
  /// The epoch that `step` falls in.
  std::int64_t epoch_of(std::int64_t step);

 private:
  using Plan = std::vector<std::vector<std::int64_t>>;
  /// A batch of a window; windows are counted through all epochs.
  struct Spot {
    std::int64_t window;
    std::int64_t batch;
  };
  Spot spot_of(std::int64_t step);
  std::int64_t longest_in(std::int64_t window) const;
  std::vector<std::int64_t> examples_of(std::int64_t window);
  std::int64_t examples_in(std::int64_t window);
  std::int64_t batches_in(std::int64_t window);
  std::span<const std::size_t> blocks_of(std::int64_t window);
  Plan plan(std::int64_t window);

  const Corpus& corpus_;
  BatchOptions options_;
  std::int64_t pool_ = 1;              // sentences that are sorted together
  std::int64_t block_ = 0;             // sentences that stay neighbours
  std::int64_t blocks_ = 1;            // blocks in the corpus
  std::int64_t window_blocks_ = 1;     // blocks in a window
  std::int64_t windows_ = 1;           // windows in an epoch
  std::vector<std::int64_t> lengths_;  // of all examples, in order, if there is a curriculum
  std::vector<std::size_t> block_order_;
  std::int64_t ordered_ = -1;            // the epoch of block_order_
  std::vector<std::int64_t> starts_{0};  // the first step of each counted window and of the next
  std::int64_t planned_ = -1;            // the window of plan_
  Plan plan_;
};

/// Every example once, sorted by length, for validation.
std::vector<std::vector<std::int64_t>> sorted_batches(const Corpus& corpus,
                                                      const BatchOptions& options);

}  // namespace heed
