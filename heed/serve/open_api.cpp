#include "heed/serve/open_api.h"

#include <algorithm>
#include <utility>

#include "heed/serve/request_fields.h"
#include "heed/serve/routes.h"

namespace heed {
namespace {

Json content(const char* type, Json schema) {
  return Json::object().set(type, Json::object().set("schema", std::move(schema)));
}

Json error_schema() {
  const Json text = Json::object().set("type", "string");
  Json fault = Json::object().set("path", text).set("message", text);
  fault = Json::object().set("type", "object").set("properties", std::move(fault));
  Json error = Json::object().set("status", Json::object().set("type", "integer"));
  error.set("message", text);
  error.set("faults", Json::object().set("type", "array").set("items", std::move(fault)));
  error = Json::object().set("type", "object").set("properties", std::move(error));
  return Json::object()
      .set("type", "object")
      .set("properties", Json::object().set("error", std::move(error)));
}

Json answers(const Route& route) {
  Json all = Json::object();
  Json good = Json::object().set("description", "the answer");
  Json types = Json::object();
  for (const std::string& type : route.gives()) {
    const bool is_json = type == "application/json";
    Json schema = Json::object().set("type", is_json ? "object" : "string");
    types.set(type, Json::object().set("schema", std::move(schema)));
  }
  good.set("content", std::move(types));
  all.set("200", std::move(good));
  Json bad = Json::object().set("description", "why the request is refused");
  bad.set("content",
          content("application/json", Json::object().set("$ref", "#/components/schemas/error")));
  return all.set("default", std::move(bad));
}

Json operation(const Catalogue<Route>::Entry& entry, const ServeState& state) {
  const std::unique_ptr<Route> route = entry.make();
  route->prepare(state);
  Json one = Json::object();
  std::string id = entry.name;
  std::transform(id.begin(), id.end(), id.begin(), [](char letter) {
    const char lower = static_cast<char>(letter | 0x20);
    return lower >= 'a' && lower <= 'z' ? lower : '_';
  });
  one.set("operationId", id).set("summary", entry.formula);
  const std::vector<FieldHelp> fields = fields_of(*route);
  Json properties = Json::object();
  Json parameters = Json::array();
  for (const FieldHelp& field : fields) {
    properties.set(field.name, field.schema);
    parameters.push(
        Json::object().set("name", field.name).set("in", "query").set("schema", field.schema));
  }
  const bool is_form = route->reads() == Route::Reads::form;
  if (route->reads() == Route::Reads::json || is_form) {
    Json body = Json::object().set("type", "object").set("properties", std::move(properties));
    body.set("additionalProperties", is_form);
    Json kinds = content("application/json", body);
    if (is_form) {
      for (const char* const type : {"application/x-www-form-urlencoded", "multipart/form-data"}) {
        kinds.set(type, Json::object().set("schema", body));
      }
    }
    one.set("requestBody", Json::object().set("required", true).set("content", std::move(kinds)));
  } else if (route->reads() == Route::Reads::upload) {
    properties.set("file", Json::object().set("type", "string").set("format", "binary"));
    const Json body = Json::object().set("type", "object").set("properties", std::move(properties));
    one.set(
        "requestBody",
        Json::object().set("required", true).set("content", content("multipart/form-data", body)));
  } else if (!fields.empty()) {
    one.set("parameters", std::move(parameters));
  }
  if (route->reads() == Route::Reads::bytes) {
    one.set("requestBody",
            Json::object()
                .set("required", true)
                .set("content", content("application/octet-stream", Json::object())));
  }
  one.set("responses", answers(*route));
  if (!route->needs_key()) {
    one.set("security", Json::array());
  }
  return one;
}

}  // namespace

Json open_api(const ServeState& state) {
  Json paths = Json::object();
  for (const auto& entry : routes()) {
    const std::string path = path_of(entry.name);
    std::string method = method_of(entry.name);
    std::transform(method.begin(), method.end(), method.begin(),
                   [](char letter) { return static_cast<char>(letter | 0x20); });
    Json methods = Json::object();
    for (const Json::Member& there : *paths.get<Json::Object>()) {
      methods = there.key == path ? there.value : methods;
    }
    paths.set(path, methods.set(method, operation(entry, state)));
  }
  Json document = Json::object().set("openapi", "3.1.0");
  document.set("info", Json::object().set("title", "heed").set("version", state.version));
  document.set("paths", std::move(paths));
  Json parts = Json::object().set("schemas", Json::object().set("error", error_schema()));
  parts.set("securitySchemes",
            Json::object().set("key", Json::object().set("type", "http").set("scheme", "bearer")));
  document.set("components", std::move(parts));
  if (!state.options.keys.empty()) {
    Json needed = Json::array();
    needed.push(Json::object().set("key", Json::array()));
    document.set("security", std::move(needed));
  }
  return document;
}

}  // namespace heed
