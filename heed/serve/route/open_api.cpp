// GET /openapi.json: what this server can be asked, for programs that write clients.
#include "heed/serve/open_api.h"

#include "heed/serve/routes.h"

namespace heed {
namespace {

class OpenApiRoute : public Route {
 public:
  void answer(const HttpExchange& exchange, ServeState& state) override {
    exchange.answer({.body = open_api(state).write() + "\n"});
  }
};

}  // namespace

std::unique_ptr<Route> open_api_route() { return std::make_unique<OpenApiRoute>(); }

}  // namespace heed
