// A request that is being answered.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "heed/api/request.h"

namespace heed {

/// It is given out by LoadedModel::submit and, like a model, keeps its engine alive. Whoever drops it
/// before it is done cancels the request, and waits for the end of the present step: after that no
/// function of the watcher is running, and none will be called.
class Ticket {
 public:
  Ticket() = default;
  Ticket(Ticket&& other) noexcept = default;
  Ticket& operator=(Ticket&& other) noexcept;
  Ticket(const Ticket&) = delete;
  Ticket& operator=(const Ticket&) = delete;
  ~Ticket();

  /// Waits until the request is answered and returns one answer for each source, in their order, once.
  /// Throws what the request failed with.
  std::vector<Answer> wait();
  /// Waits for so long at most; whether the request is done.
  bool wait_for(std::chrono::nanoseconds time) const;
  /// Whether it was answered, has failed or was cancelled.
  bool done() const;
  /// Ends the request before the next step, with an Error whose fault is `cancelled`, unless it is done.
  /// Does not wait.
  void cancel();

 private:
  friend class LoadedModel;
  friend struct ModelInside;
  class State;
  explicit Ticket(std::shared_ptr<State> state) : state_(std::move(state)) {}
  State& state() const;
  void drop() noexcept;

  std::shared_ptr<State> state_;
};

}  // namespace heed
