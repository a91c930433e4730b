// The batches of a run, made ready in the background while the steps before them are computed:
// their examples are read, decoded and augmented by several threads. What `at` gives is a function
// of corpus, options and step, whatever the number of threads.
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

/// What trains together at one step.
struct StepItems {
  BatchItems items;
  std::int64_t epoch = 0;
};

class PrefetchedBatches {
 public:
  static constexpr std::int64_t ahead = 4;  // batches that wait or are being made at most

  /// Keeps a reference to `corpus`, which must not be empty.
  PrefetchedBatches(const Corpus& corpus, const BatchOptions& options);
  ~PrefetchedBatches();
  PrefetchedBatches(const PrefetchedBatches&) = delete;
  PrefetchedBatches& operator=(const PrefetchedBatches&) = delete;

  /// Of batch `step`, counted from 0; waits until it is there. Steps that follow one another are
  /// the quick ones. An Error in the background is thrown here.
  StepItems at(std::int64_t step);

 private:
  struct Made {
    StepItems items;
    std::exception_ptr failure;
  };
  /// A step to make: which examples, of which epoch, asked for in which round.
  struct Task {
    std::int64_t step = 0;
    std::int64_t epoch = 0;
    std::vector<std::int64_t> examples;
    std::uint64_t round = 0;
  };
  void work();
  /// Waits until there is a step to make; false where all is over.
  bool take(Task& task);
  Made made(const Task& task) const;
  void hand_in(const Task& task, Made made);

  const Corpus& corpus_;
  std::uint64_t seed_;
  std::mutex planning_;  // held by the worker that plans, before guard_
  Batches batches_;      // guarded by planning_
  std::mutex guard_;     // of all below
  std::condition_variable changed_;
  std::map<std::int64_t, Made> ready_;
  std::int64_t first_ = 0;   // the step that is asked for next
  std::int64_t next_ = 0;    // the first that nobody makes yet
  std::uint64_t round_ = 0;  // goes up where another step than the next is asked for
  bool is_asked_ = false;    // for anything yet
  bool is_over_ = false;
  std::vector<std::thread> workers_;  // last: they see all of the above
};

}  // namespace heed
