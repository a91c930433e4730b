#include "heed/data/prefetch.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "heed/base/ending_signals.h"
#include "heed/base/error.h"
#include "heed/base/thread_pool.h"

namespace heed {

PrefetchedBatches::PrefetchedBatches(const Corpus& corpus, const BatchOptions& options,
                                     const Place& place)
    : corpus_(corpus), place_(place), seed_(options.seed), batches_(corpus, options) {
  const WithoutEnding in_workers;
  try {
    for (std::int64_t i = 0; i < std::max<std::int64_t>(1, options.threads); ++i) {
      workers_.emplace_back([this, &pool = thread_pool()] {
        const UsePool use(pool);
        work();
      });
    }
  } catch (const std::system_error& error) {
    if (workers_.empty()) {  // otherwise the others do the work
      fail(
          "training.prefetch_threads: cannot start a thread ({}); end other programs, or raise the "
          "limit on threads",
          error.code().message());
    }
  }
}

PrefetchedBatches::~PrefetchedBatches() {
  {
    const std::lock_guard lock(guard_);
    is_over_ = true;
  }
  changed_.notify_all();
  for (std::thread& worker : workers_) {
    worker.join();
  }
}

bool PrefetchedBatches::take(Task& task) {
  const std::lock_guard planning(planning_);
  {
    std::unique_lock lock(guard_);
    changed_.wait(lock, [this] { return is_over_ || (is_asked_ && next_ < first_ + ahead); });
    if (is_over_) {
      return false;
    }
    task.step = next_++;
    task.round = round_;
  }
  try {
    task.examples = batches_.at(task.step);
    task.epoch = batches_.epoch_of(task.step);
  } catch (...) {
    task.examples.clear();
    hand_in(task, {{}, std::current_exception()});
  }
  return true;
}

PrefetchedBatches::Made PrefetchedBatches::made(const Task& task) const {
  try {
    const BatchItems items = corpus_.items(task.examples, EpochKey{seed_, task.epoch});
    return {{collate(items, place_), task.epoch}, nullptr};
  } catch (...) {
    return {{}, std::current_exception()};
  }
}

/// Drops what was begun in an earlier round.
void PrefetchedBatches::hand_in(const Task& task, Made made) {
  {
    const std::lock_guard lock(guard_);
    if (task.round == round_) {
      ready_.emplace(task.step, std::move(made));
    }
  }
  changed_.notify_all();
}

void PrefetchedBatches::work() {
  for (Task task; take(task);) {
    if (!task.examples.empty()) {
      hand_in(task, made(task));
    }
  }
}

StepBatch PrefetchedBatches::at(std::int64_t step) {
  std::unique_lock lock(guard_);
  if (first_ != step || !is_asked_) {
    is_asked_ = true;
    first_ = step;
    next_ = step;
    ++round_;
    ready_.clear();
    changed_.notify_all();
  }
  changed_.wait(lock, [this, step] { return ready_.contains(step); });
  if (const std::exception_ptr failure = ready_.at(step).failure) {
    is_asked_ = false;  // the next call tries again
    ready_.clear();
    std::rethrow_exception(failure);
  }
  StepBatch next = std::move(ready_.at(step).batch);
  ready_.erase(step);
  ++first_;
  changed_.notify_all();
  return next;
}

}  // namespace heed
