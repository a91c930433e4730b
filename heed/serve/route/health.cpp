// GET /health: the process is alive and talks.
#include "heed/serve/routes.h"

namespace heed {
namespace {

class HealthRoute : public Route {
 public:
  bool needs_key() const override { return false; }
  void answer(const HttpExchange& exchange, ServeState& /*state*/) override {
    exchange.answer({.body = "{\"status\":\"ok\"}\n"});
  }
};

}  // namespace

std::unique_ptr<Route> health_route() { return std::make_unique<HealthRoute>(); }

}  // namespace heed
