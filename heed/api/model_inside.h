// What is inside a loaded model and its tickets, for the layers above that write answers as the command line
// does. This header is not installed.
#pragma once

#include <exception>
#include <functional>
#include <utility>
#include <vector>

#include "heed/api/held_model.h"
#include "heed/api/ticket_state.h"

namespace heed {

struct ModelInside {
  static const TrainedModel& trained(const LoadedModel& model) { return model.held_->trained; }
  /// Loops of whoever uses the model run on its engine's pool.
  static ThreadPool& pool(const LoadedModel& model) { return model.held_->core->pool; }

  /// Called when a request is prepared, before it is searched (ticket_state.h).
  using Prepared = std::function<void(Inquiry& inquiry)>;
  /// LoadedModel::submit with the options of the engine below, in place of those of the request.
  static Ticket submit(const LoadedModel& model, Request request, AnswerOptions options,
                       RequestWatcher watcher, const Prepared& prepared) {
    Ticket ticket(model.asked(std::move(request), {}, std::move(watcher)));
    try {
      const UsePool use(pool(model));
      ticket.state_->begin({&trained(model)}, std::move(options));
    } catch (...) {
      ticket.state_->fail(std::current_exception());
      return ticket;
    }
    ticket.state_->submit(prepared);
    return ticket;
  }
  /// Ticket::wait, with all that the engine below knows of each answer.
  static std::vector<Replies> replies(Ticket& ticket) { return ticket.state().replies(); }
  /// Calls `task`, which must not throw, on the thread that searches, between two steps.
  static void run(const LoadedModel& model, std::function<void()> task) {
    model.held_->core->searching.run([task = std::move(task)](Scheduler&) { task(); });
  }
};

}  // namespace heed
