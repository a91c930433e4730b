#include "heed/api/scheduler_thread.h"

#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <system_error>
#include <utility>
#include <vector>

#include "heed/base/ending_signals.h"
#include "heed/base/error.h"

namespace heed {

struct SchedulerThread::Shared {
  std::mutex guard;
  std::condition_variable changed;
  std::vector<std::function<void(Scheduler&)>> tasks;
  std::vector<std::shared_ptr<void>> leaving;
  Scheduler::Counts counts;
  bool stops = false;
  std::atomic<std::thread::id> thread = {};
};

SchedulerThread::SchedulerThread(ThreadPool& pool)
    : pool_(pool), shared_(std::make_shared<Shared>()) {}

SchedulerThread::~SchedulerThread() {
  {
    const std::lock_guard lock(shared_->guard);
    shared_->stops = true;
    shared_->changed.notify_one();
  }
  leave_thread();
}

void SchedulerThread::leave_thread() {
  if (!thread_.joinable()) {
    return;
  }
  if (process_ != static_cast<int>(getpid())) {
    // After a fork the child has no such thread. Its handle is kept for ever, because destroying it would
    // end the process.
    static auto& lost = *new std::vector<std::thread>;
    lost.push_back(std::move(thread_));
  } else if (is_this()) {
    thread_.detach();
  } else {
    thread_.join();
  }
}

bool SchedulerThread::is_this() const {
  return shared_->thread.load() == std::this_thread::get_id();
}

/// The thread sleeps for ever in a child of fork, which gets one of its own.
void SchedulerThread::start() {
  const auto process = static_cast<int>(getpid());
  if (thread_.joinable() && process_ == process) {
    return;
  }
  if (thread_.joinable()) {
    leave_thread();
    static auto& lost = *new std::vector<std::shared_ptr<Shared>>;
    lost.push_back(std::exchange(shared_, std::make_shared<Shared>()));
  }
  const WithoutEnding in_thread;
  try {
    thread_ = std::thread([shared = shared_, &pool = pool_] { work(shared, pool); });
  } catch (const std::system_error& error) {
    fail("threads: cannot start the one that searches ({}); end other threads",
         error.code().message());
  }
  process_ = process;
}

void SchedulerThread::run(std::function<void(Scheduler&)> task) {
  {
    const std::lock_guard lock(starting_);
    start();
  }
  const std::lock_guard lock(shared_->guard);
  shared_->tasks.push_back(std::move(task));
  shared_->changed.notify_one();
}

void SchedulerThread::let_go(std::shared_ptr<void> thing) {
  const std::lock_guard lock(shared_->guard);
  shared_->leaving.push_back(std::move(thing));
  shared_->changed.notify_one();
}

Scheduler::Counts SchedulerThread::counts() const {
  const std::lock_guard lock(shared_->guard);
  return shared_->counts;
}

/// The engine may end when a thing is let go, so from there on nothing is touched but what is shared.
void SchedulerThread::work(const std::shared_ptr<Shared>& shared, ThreadPool& pool) {
  shared->thread = std::this_thread::get_id();
  const UsePool use(pool);
  Scheduler scheduler;
  for (;;) {
    std::vector<std::function<void(Scheduler&)>> tasks;
    std::vector<std::shared_ptr<void>> leaving;
    {
      std::unique_lock lock(shared->guard);
      shared->counts = scheduler.counts();
      shared->changed.wait(lock, [&] {
        return shared->stops || !shared->tasks.empty() || !shared->leaving.empty() ||
               !scheduler.is_idle();
      });
      if (shared->stops) {
        return;
      }
      tasks.swap(shared->tasks);
      leaving.swap(shared->leaving);
    }
    leaving.clear();
    for (const auto& task : tasks) {
      task(scheduler);
    }
    if (!scheduler.is_idle()) {
      scheduler.step();
    }
  }
}

}  // namespace heed
