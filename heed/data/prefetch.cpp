#include "heed/data/prefetch.h"

#include <utility>

namespace heed {

PrefetchedBatches::PrefetchedBatches(const Corpus& corpus, const BatchOptions& options)
    : corpus_(corpus),
      batches_(corpus, options),
      seed_(options.seed),
      worker_([this] { work(); }) {}

PrefetchedBatches::~PrefetchedBatches() {
  {
    const std::lock_guard lock(guard_);
    is_over_ = true;
  }
  changed_.notify_all();
  worker_.join();
}

void PrefetchedBatches::work() {
  std::unique_lock lock(guard_);
  for (;;) {
    changed_.wait(lock,
                  [this] { return is_over_ || (is_asked_ && ready_.size() < ahead && !failure_); });
    if (is_over_) {
      return;
    }
    const std::int64_t step = first_ + static_cast<std::int64_t>(ready_.size());
    lock.unlock();
    StepItems made;
    std::exception_ptr failure;
    try {
      made.epoch = batches_.epoch_of(step);
      made.items = corpus_.items(batches_.at(step), EpochKey{seed_, made.epoch});
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    // Meanwhile steps may have been taken, or others been asked for.
    if (first_ + static_cast<std::int64_t>(ready_.size()) == step) {
      failure_ = failure;
      if (!failure) {
        ready_.push_back(std::move(made));
      }
      changed_.notify_all();
    }
  }
}

StepItems PrefetchedBatches::at(std::int64_t step) {
  std::unique_lock lock(guard_);
  if (first_ != step || !is_asked_) {
    is_asked_ = true;
    first_ = step;
    ready_.clear();
    failure_ = nullptr;
    changed_.notify_all();
  }
  changed_.wait(lock, [this] { return !ready_.empty() || failure_; });
  if (ready_.empty()) {
    std::rethrow_exception(failure_);
  }
  StepItems next = std::move(ready_.front());
  ready_.pop_front();
  ++first_;
  changed_.notify_all();
  return next;
}

}  // namespace heed
