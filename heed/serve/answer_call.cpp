#include "heed/serve/answer_call.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

#include "heed/serve/serve_state.h"
#include "heed/serve/stream_start.h"

namespace heed {
namespace {

/// As a value of a field: letters beyond ASCII are left out, because clients read them differently.
std::string in_ascii(const std::string& text) {
  std::string plain;
  std::copy_if(text.begin(), text.end(), std::back_inserter(plain),
               [](char letter) { return letter >= ' ' && letter < 0x7F; });
  return plain;
}

/// What the tree of hypotheses needs of a step of which no event is written.
AnswerStep without_words(const AnswerStep& step) {
  AnswerStep bare = step;
  bare.from.clear();
  std::erase_if(bare.continuations,
                [](const Continuation& one) { return one.fate == Continuation::Fate::pruned; });
  for (Continuation& one : bare.continuations) {
    one.text.clear();
  }
  return bare;
}

}  // namespace

AnswerCall::AnswerCall(HttpExchange exchange, ServedInquiry inquiry,
                       std::vector<ServedInquiry::Asked> asked, Form form)
    : exchange_(std::move(exchange)),
      inquiry_(std::move(inquiry)),
      asked_(std::move(asked)),
      form_(std::move(form)),
      events_([model = inquiry_.model()](const std::vector<int32_t>& tokens) {
        return model.text_of(tokens);
      }) {}

RequestWatcher AnswerCall::watcher() {
  RequestWatcher watcher;
  if (form_.streams) {
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
  return watcher;
}

/// It is added after it was handed over, because what is thrown before is answered by who calls. The clerk
/// finishes nothing meanwhile: this is his thread.
void AnswerCall::begin(ServeState& state, std::chrono::steady_clock::time_point deadline) {
  state_ = &state;
  ServedInquiry::Started started;
  if (form_.streams) {
    started = [this](const std::vector<std::vector<Piece>>& pieces) { start(pieces); };
  }
  ticket_ = inquiry_.submit(asked_, exchange_.left(), deadline, watcher(), started);
  state.calls.add(shared_from_this());
}

void AnswerCall::end() { ticket_ = Ticket(); }

void AnswerCall::start(const std::vector<std::vector<Piece>>& pieces) {
  std::vector<std::string> texts;
  for (const ServedInquiry::Asked& asked : asked_) {
    texts.push_back(asked.bytes);
  }
  const Json event = written_start(inquiry_.name(), inquiry_.model(), texts, pieces);
  exchange_.begin({.type = "text/event-stream"});
  has_begun_ = true;
  exchange_.send(written_event("start", event.write()), StreamPiece::kept);
}

/// The engine does not wait: a clerk who is too slow writes of fewer steps.
void AnswerCall::hear(const AnswerStep& step) {
  const bool is_told = untold_.fetch_add(1) < most_untold;
  state_->clerk.go_on([call = shared_from_this(), step = is_told ? step : without_words(step),
                       is_told] { call->tell(step, is_told); });
}

void AnswerCall::tell(const AnswerStep& step, bool is_told) {
  untold_.fetch_sub(1);
  if (!is_told) {
    events_.follow(step);
  } else {
    exchange_.send(events_.told(step), StreamPiece::droppable);
  }
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

void AnswerCall::answer(HttpResponse response, const char* event) {
  if (!has_begun_) {
    for (const std::string& warning : inquiry_.warnings()) {
      response.fields.push_back({"X-Heed-Warning", in_ascii(warning)});
    }
    exchange_.answer(std::move(response));
    return;
  }
  std::string last;
  for (const std::string& warning : inquiry_.warnings()) {
    last += written_event("warning", Json::object().set("message", warning).write());
  }
  std::string line = std::move(response.body);
  if (line.ends_with('\n')) {
    line.pop_back();
  }
  exchange_.end(last + written_event(event, line));
}

}  // namespace heed
