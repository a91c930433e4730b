// GET /v1/models: the models, in OpenAI's form, each with what its file says of itself.
#include "heed/serve/routes.h"
#include "heed/serve/serve_state.h"

namespace heed {
namespace {

class ModelsRoute : public Route {
 public:
  void answer(const HttpExchange& exchange, ServeState& state) override {
    Json data = Json::array();
    for (const ServedModel& one : state.models) {
      Json about = Json::object();
      for (const auto& [key, value] : one.model.about()) {
        about.set(key, value);
      }
      Json model = Json::object().set("id", one.name).set("object", "model");
      model.set("created", one.created).set("owned_by", "heed");
      model.set("route", std::string("/v1/") + one.kind->verb);
      model.set("parameters", one.model.parameters()).set("about", std::move(about));
      data.push(std::move(model));
    }
    const Json list = Json::object().set("object", "list").set("data", std::move(data));
    exchange.answer({.body = list.write() + "\n"});
  }
};

}  // namespace

std::unique_ptr<Route> models_route() { return std::make_unique<ModelsRoute>(); }

}  // namespace heed
