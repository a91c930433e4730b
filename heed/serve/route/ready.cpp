// GET /ready: 200 as long as new work is taken, 503 when the server ends or too much waits.
#include "heed/serve/fault_answer.h"
#include "heed/serve/routes.h"
#include "heed/serve/serve_state.h"

namespace heed {
namespace {

class ReadyRoute : public Route {
 public:
  bool needs_key() const override { return false; }
  void answer(const HttpExchange& exchange, ServeState& state) override {
    const bool is_full = state.asked() >= state.options.queue;
    exchange.answer(state.is_draining ? fault_answer(503, "the server ends")
                    : is_full         ? fault_answer(503, "too many requests wait")
                                      : HttpResponse{.body = "{\"status\":\"ready\"}\n"});
  }
};

}  // namespace

std::unique_ptr<Route> ready_route() { return std::make_unique<ReadyRoute>(); }

}  // namespace heed
