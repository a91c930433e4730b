// The thread on which an engine searches: it steps a scheduler as long as there is something to do and
// sleeps otherwise. It is started by the first request.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "heed/base/thread_pool.h"
#include "heed/engine/answer/scheduler.h"

namespace heed {

class SchedulerThread {
 public:
  /// Loops run on the pool, which must outlive it.
  explicit SchedulerThread(ThreadPool& pool);
  /// Waits for the present step, unless this is the thread itself, which then ends after it.
  ~SchedulerThread();
  SchedulerThread(const SchedulerThread&) = delete;
  SchedulerThread& operator=(const SchedulerThread&) = delete;

  /// Calls `task` on the thread before the next step.
  void run(std::function<void(Scheduler&)> task);
  /// Lets go of something on the thread between two steps, when nothing of it is in use.
  void let_go(std::shared_ptr<void> thing);
  /// What its scheduler has done up to the last step.
  Scheduler::Counts counts() const;
  /// Whether this is the thread.
  bool is_this() const;

 private:
  struct Shared;
  static void work(const std::shared_ptr<Shared>& shared, ThreadPool& pool);
  void start();
  void leave_thread();

  ThreadPool& pool_;
  std::mutex starting_;
  std::shared_ptr<Shared> shared_;  // with the thread, which may outlive this
  std::thread thread_;
  int process_ = 0;  // in which the thread runs
};

}  // namespace heed
