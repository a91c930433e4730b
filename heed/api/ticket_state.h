// What a ticket stands for. This header is not installed.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "heed/api/request_watcher.h"
#include "heed/api/scheduler_thread.h"
#include "heed/api/step_teller.h"
#include "heed/api/ticket.h"
#include "heed/engine/answer/inquiry.h"

namespace heed {

class Ticket::State {
 public:
  /// `handles` keep the models and the engine, whose thread and pool these are.
  State(std::vector<std::shared_ptr<const void>> handles, SchedulerThread& thread, ThreadPool& pool,
        Request request, RequestWatcher watcher);

  /// The request's options, which stop and deadline belong to, for these models.
  void begin(const std::vector<const TrainedModel*>& models, AnswerOptions options);
  /// Prepares all of it and hands it to the thread. `prepared`, if there is one, is called in between, on
  /// this thread, before the watcher hears of anything. What fails comes out of `wait`.
  void submit(const std::function<void(Inquiry& inquiry)>& prepared = {}) noexcept;
  void fail(std::exception_ptr failure) noexcept;
  /// Prepares and searches one group of pieces after the other, so that it holds little, and waits.
  std::vector<Answer> answer();

  std::vector<Answer> wait();
  /// The same as `wait`, with all that the engine below knows of each.
  std::vector<Replies> replies();
  bool wait_for(std::chrono::nanoseconds time) const;
  bool done() const;
  void cancel() { is_dropped_ = true; }
  /// Cancels it, and waits until the thread has let go of it or, on that thread, leaves it to it.
  static void drop(std::shared_ptr<State> state);
  const Request& request() const { return request_; }

 private:
  bool is_cancelled() const;
  void hand_over();
  void end();
  std::vector<Answer> answers();
  void check_may_wait() const;

  std::vector<std::shared_ptr<const void>> handles_;  // first, so that they outlive the rest
  SchedulerThread& thread_;
  ThreadPool& pool_;
  Request request_;
  RequestWatcher watcher_;
  std::atomic<bool> is_dropped_ = false;
  std::deque<StepTeller> tellers_;
  std::optional<Inquiry> inquiry_;

  mutable std::mutex guard_;
  mutable std::condition_variable changed_;
  bool is_done_ = false;    // what was found or what failed is there,
  bool is_let_go_ = false;  // and the thread knows nothing of this any more
  bool is_taken_ = false;   // the answers were
  std::exception_ptr failure_;
  std::shared_ptr<State> self_;  // dropped on the thread, which has it until it lets go
};

}  // namespace heed
