#include "heed/serve/computed_call.h"

#include <utility>

#include "heed/api/model_inside.h"
#include "heed/base/error.h"
#include "heed/serve/serve_state.h"

namespace heed {

ComputedCall::ComputedCall(HttpExchange exchange, Compute compute, FaultForm fault)
    : exchange_(std::move(exchange)), compute_(std::move(compute)), fault_(std::move(fault)) {}

void ComputedCall::begin(ServeState& state, const LoadedModel& model,
                         std::chrono::steady_clock::time_point deadline) {
  state_ = &state;
  deadline_ = deadline;
  ModelInside::run(model, [self = shared_from_this()] { self->compute(); });
  state.calls.add(shared_from_this());
}

/// On the engine's thread. What was needed for it goes before anybody hears of it.
void ComputedCall::compute() {
  try {
    if (exchange_.left().stop_requested() || std::chrono::steady_clock::now() >= deadline_) {
      fail(Fault::cancelled, "the request was not computed: nobody waits for it any more");
    }
    writing_ = compute_();
  } catch (...) {
    failure_ = std::current_exception();
  }
  compute_ = nullptr;
  state_->clerk.go_on([self = shared_from_this()] { self->finish(); });
  const std::lock_guard lock(guard_);
  is_computed_ = true;
  changed_.notify_all();
}

/// On the clerk's thread.
void ComputedCall::finish() {
  end();
  try {
    if (failure_) {
      std::rethrow_exception(failure_);
    }
    exchange_.answer(writing_());
  } catch (const std::exception& what) {
    exchange_.answer(fault_(what));
  }
  state_->calls.remove(shared_from_this());
}

void ComputedCall::end() {
  std::unique_lock lock(guard_);
  changed_.wait(lock, [this] { return is_computed_; });
}

}  // namespace heed
