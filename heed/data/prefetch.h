// The batches of a run, prepared in the background while earlier steps are computed: several
// threads read, decode and augment their examples and fill the memory that is uploaded. What `at`
// returns depends on corpus, options and step, but not on the number of threads.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "heed/data/batches.h"

namespace heed {

/// The batch of one training step.
struct StepBatch {
  HostBatch batch;
  std::int64_t epoch = 0;
};

class PrefetchedBatches {
 public:
  static constexpr std::int64_t ahead = 4;  // limit of batches that are ready or being made

  /// Batches for `place`. Keeps a reference to `corpus`, which must not be empty.
  PrefetchedBatches(const Corpus& corpus, const BatchOptions& options, const Place& place);
  ~PrefetchedBatches();
  PrefetchedBatches(const PrefetchedBatches&) = delete;
  PrefetchedBatches& operator=(const PrefetchedBatches&) = delete;

  /// Batch `step`, counted from 0; waits until it is ready. Consecutive steps are fast. An Error in the
  /// background is thrown here.
  StepBatch at(std::int64_t step);

 private:
  struct Made {
    StepBatch batch;
    std::exception_ptr failure;
  };
  /// A batch to prepare: its step, epoch and examples, and the round that asked for it.
  struct Task {
    std::int64_t step = 0;
    std::int64_t epoch = 0;
    std::vector<std::int64_t> examples;
    std::uint64_t round = 0;
  };
  void work();
  /// Waits until there is a batch to prepare; false when the object is being destroyed.
  bool take(Task& task);
  Made made(const Task& task) const;
  void hand_in(const Task& task, Made made);

  const Corpus& corpus_;
  Place place_;
  std::uint64_t seed_;
  std::mutex planning_;  // locked by the worker that plans, before guard_
  Batches batches_;      // guarded by planning_
  std::mutex guard_;     // guards all members below
  std::condition_variable changed_;
  std::map<std::int64_t, Made> ready_;
  std::int64_t first_ = 0;   // the step that is expected to be asked for next
  std::int64_t next_ = 0;    // the first step that no worker has taken
  std::uint64_t round_ = 0;  // increased when a step other than first_ is asked for
  bool is_asked_ = false;    // whether any step was asked for
  bool is_over_ = false;
  std::vector<std::thread> workers_;  // last, because they use all members above
};

}  // namespace heed
