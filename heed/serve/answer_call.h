// A request that the engine searches: it is handed over, heard of while it is searched, and answered when it
// is done, whole or as the last event of a stream.
//
//   clerk    begin: reads and prepares the sources        tell: an event        finish: writes the answer
//   engine   hear: one step after the other, which it hands to the clerk and goes on
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "heed/api/ticket.h"
#include "heed/http/exchange.h"
#include "heed/serve/calls_under_way.h"
#include "heed/serve/served_inquiry.h"
#include "heed/serve/step_events.h"

namespace heed {

class AnswerCall : public CallUnderWay, public std::enable_shared_from_this<AnswerCall> {
 public:
  /// How the lines of JSON become an answer, and faults those of the route.
  struct Form {
    std::function<HttpResponse(const std::vector<std::string>& lines)> answer;
    std::function<HttpResponse(const std::exception& what)> fault;
    bool streams = false;
  };
  AnswerCall(HttpExchange exchange, ServedInquiry inquiry, std::vector<ServedInquiry::Asked> asked,
             Form form);

  /// On the clerk's thread. `state` must outlive it.
  void begin(ServeState& state, std::chrono::steady_clock::time_point deadline);
  void end() override;

 private:
  RequestWatcher watcher();
  void start(const std::vector<std::vector<Piece>>& pieces);
  void hear(const AnswerStep& step);
  void tell(const AnswerStep& step, bool is_told);
  void finish();
  void answer(HttpResponse response, const char* event);

  static constexpr int most_untold = 64;  // steps; of further ones no event is written

  HttpExchange exchange_;
  ServedInquiry inquiry_;
  std::vector<ServedInquiry::Asked> asked_;
  Form form_;
  ServeState* state_ = nullptr;
  Ticket ticket_;
  StepEvents events_;
  bool has_begun_ = false;  // the stream: faults are events from then on
  std::atomic<int> untold_ = 0;
};

}  // namespace heed
