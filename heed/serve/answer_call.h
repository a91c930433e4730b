// A request under way: it is handed to the engine, heard of while it is searched, and answered when it is
// done. Nobody waits for it: the clerk goes on with others.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "heed/api/ticket.h"
#include "heed/http/exchange.h"
#include "heed/serve/served_inquiry.h"
#include "heed/serve/step_events.h"

namespace heed {

class AnswerCall : public std::enable_shared_from_this<AnswerCall> {
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

 private:
  void hear(const AnswerStep& step);
  void tell(const AnswerStep& step);
  void finish();
  void answer(HttpResponse response, const char* event);

  static constexpr int most_untold = 64;  // steps; further ones are left out

  HttpExchange exchange_;
  ServedInquiry inquiry_;
  std::vector<ServedInquiry::Asked> asked_;
  Form form_;
  ServeState* state_ = nullptr;
  Ticket ticket_;
  std::unique_ptr<StepEvents> events_;
  std::atomic<int> untold_ = 0;
};

}  // namespace heed
