#include "heed/serve/answer_call.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

#include "heed/serve/serve_state.h"

namespace heed {
namespace {

/// As a value of a field: letters beyond ASCII are left out, because clients read them differently.
std::string in_ascii(const std::string& text) {
  std::string plain;
  std::copy_if(text.begin(), text.end(), std::back_inserter(plain),
               [](char letter) { return letter >= ' ' && letter < 0x7F; });
  return plain;
}

}  // namespace

AnswerCall::AnswerCall(HttpExchange exchange, ServedInquiry inquiry,
                       std::vector<ServedInquiry::Asked> asked, Form form)
    : exchange_(std::move(exchange)),
      inquiry_(std::move(inquiry)),
      asked_(std::move(asked)),
      form_(std::move(form)) {}

void AnswerCall::begin(ServeState& state, std::chrono::steady_clock::time_point deadline) {
  state_ = &state;
  state.calls.add(shared_from_this());
  RequestWatcher watcher;
  if (form_.streams) {
    events_ = std::make_unique<StepEvents>(inquiry_.model());
    HttpResponse head{.type = "text/event-stream"};
    exchange_.begin(std::move(head));
    exchange_.send(written_event("start", inquiry_.written_start(asked_).write()), PieceKind::kept);
    watcher.rivals = 4;
    watcher.source = {AttentionChoice()};
    watcher.on_step = [self = weak_from_this()](const AnswerStep& step) {
      if (const auto call = self.lock()) {
        call->hear(step);
      }
    };
  }
  watcher.on_done = [self = weak_from_this()] {
    if (auto call = self.lock()) {
      call->state_->clerk.go_on([call] { call->finish(); });
    }
  };
  ticket_ = inquiry_.submit(asked_, exchange_.left(), deadline, std::move(watcher));
}

/// On the engine's thread, which goes on: a clerk who is too slow hears of fewer steps.
void AnswerCall::hear(const AnswerStep& step) {
  if (untold_.fetch_add(1) >= most_untold) {
    untold_.fetch_sub(1);
    return;
  }
  state_->clerk.go_on([call = shared_from_this(), step] { call->tell(step); });
}

void AnswerCall::tell(const AnswerStep& step) {
  untold_.fetch_sub(1);
  exchange_.send(events_->told(step), PieceKind::droppable);
}

void AnswerCall::finish() {
  Ticket ticket = std::move(ticket_);
  try {
    answer(form_.answer(inquiry_.lines_of(ticket, asked_)), "done");
  } catch (const std::exception& what) {
    answer(form_.fault(what), "error");
  }
  state_->calls.remove(shared_from_this());
}

/// Whole, or as the last event.
void AnswerCall::answer(HttpResponse response, const char* event) {
  if (!form_.streams) {
    for (const std::string& warning : inquiry_.warnings()) {
      response.fields.push_back({"X-Heed-Warning", in_ascii(warning)});
    }
    exchange_.answer(std::move(response));
    return;
  }
  std::string line = std::move(response.body);
  if (line.ends_with('\n')) {
    line.pop_back();
  }
  exchange_.end(written_event(event, line));
}

}  // namespace heed
