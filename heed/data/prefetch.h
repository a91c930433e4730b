// The batches of a run, made ready in the background while the steps before them are computed.
// What `at` gives is a function of corpus, options and step, as without it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "heed/data/batches.h"

namespace heed {

/// What trains together at one step.
struct StepItems {
  BatchItems items;
  std::int64_t epoch = 0;
};

class PrefetchedBatches {
 public:
  static constexpr std::size_t ahead = 4;  // batches that wait at most

  /// Keeps a reference to `corpus`, which must not be empty.
  PrefetchedBatches(const Corpus& corpus, const BatchOptions& options);
  ~PrefetchedBatches();
  PrefetchedBatches(const PrefetchedBatches&) = delete;
  PrefetchedBatches& operator=(const PrefetchedBatches&) = delete;

  /// Of batch `step`, counted from 0; waits until it is there. Steps that follow one another are
  /// the quick ones. An Error in the background is thrown here.
  StepItems at(std::int64_t step);

 private:
  void work();

  const Corpus& corpus_;
  Batches batches_;  // the worker's alone
  std::uint64_t seed_;
  std::mutex guard_;
  std::condition_variable changed_;
  std::deque<StepItems> ready_;  // of the steps from first_ on
  std::int64_t first_ = 0;
  bool is_asked_ = false;  // for anything yet
  bool is_over_ = false;
  std::exception_ptr failure_;
  std::thread worker_;  // last: it sees all of the above
};

}  // namespace heed
