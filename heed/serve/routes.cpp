#include "heed/serve/routes.h"

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <vector>

#include "heed/config/apply.h"
#include "heed/serve/fault_answer.h"

namespace heed {

// These are static, and in no namespace without a name, because the factories belong to heed.
using RouteEntries = std::vector<Catalogue<Route>::Entry>;

static RouteEntries own_routes() {
  return {
      {"GET /health", {}, "says that the server is alive", HEED_MADE_BY(Route, health_route)},
      {"GET /ready", {}, "says whether the server takes work", HEED_MADE_BY(Route, ready_route)},
      {"POST /v1/translate",
       {},
       "translates texts; a language model continues them",
       HEED_MADE_BY(Route, translate_route)},
      {"POST /v1/caption", {}, "says what a picture shows", HEED_MADE_BY(Route, caption_route)},
      {"POST /v1/transcribe",
       {},
       "writes down what a recording says",
       HEED_MADE_BY(Route, transcribe_route)},
      {"POST /v1/label",
       {},
       "labels texts, or every token of them",
       HEED_MADE_BY(Route, label_route)},
      {"POST /v1/score",
       {},
       "the log-probability of a given pair",
       HEED_MADE_BY(Route, score_route)},
      {"POST /v1/align",
       {},
       "where the model looks for a given pair",
       HEED_MADE_BY(Route, align_route)},
      {"POST /v1/attention",
       {},
       "the weights of every block and head for a given pair",
       HEED_MADE_BY(Route, attention_route)},
      {"POST /v1/operator",
       {},
       "scores, weights and context of the operator on given vectors",
       HEED_MADE_BY(Route, operator_route)},
      {"GET /v1/models", {}, "lists the models", HEED_MADE_BY(Route, models_route)},
      {"GET /metrics",
       {},
       "figures of the server, as Prometheus reads them",
       HEED_MADE_BY(Route, metrics_route)},
      {"GET /openapi.json",
       {},
       "lists all routes, as OpenAPI 3.1 has it",
       HEED_MADE_BY(Route, open_api_route)}};
}

static RouteEntries routes_of_dialects() {
  return {{"POST /translate",
           {},
           "translates as LibreTranslate does",
           HEED_MADE_BY(Route, libre_translate_route)},
          {"GET /languages",
           {},
           "lists languages as LibreTranslate does",
           HEED_MADE_BY(Route, libre_languages_route)},
          {"POST /detect",
           {},
           "names languages as LibreTranslate does",
           HEED_MADE_BY(Route, libre_detect_route)},
          {"GET /frontend/settings",
           {},
           "tells its limits as LibreTranslate does",
           HEED_MADE_BY(Route, libre_settings_route)},
          {"POST /v1/audio/transcriptions",
           {},
           "transcribes as OpenAI does",
           HEED_MADE_BY(Route, openai_speech_route)}};
}

static std::unique_ptr<Catalogue<Route>> all_routes() {
  auto all =
      std::make_unique<Catalogue<Route>>("route", std::initializer_list<Catalogue<Route>::Entry>());
  for (const RouteEntries& some : {own_routes(), routes_of_dialects()}) {
    std::ranges::for_each(some, [&all](const auto& entry) { all->add(entry); });
  }
  return all;
}

const Catalogue<Route>& routes() {
  static const std::unique_ptr<Catalogue<Route>> all = all_routes();
  return *all;
}

HttpResponse Route::fault(int status, const std::string& message) const {
  return fault_answer(status, message);
}

HttpResponse Route::fault(const std::exception& what) const { return fault_answer(what); }

void Route::read(const Json& fields, const ServeState& /*state*/) { apply(*this, fields); }

std::string method_of(const std::string& route) { return route.substr(0, route.find(' ')); }

std::string path_of(const std::string& route) { return route.substr(route.find(' ') + 1); }

RouteTable::RouteTable() {
  for (const auto& entry : routes()) {
    by_path_[path_of(entry.name)][method_of(entry.name)] = &entry;
  }
}

const RouteTable::Entry* RouteTable::find(std::string_view path) const {
  const auto methods = by_path_.find(path);
  return methods == by_path_.end() ? nullptr : methods->second.begin()->second;
}

const RouteTable::Entry* RouteTable::find(std::string_view method, std::string_view path) const {
  const auto methods = by_path_.find(path);
  if (methods == by_path_.end()) {
    return nullptr;
  }
  const auto entry = methods->second.find(method == "HEAD" ? "GET" : method);
  return entry == methods->second.end() ? nullptr : entry->second;
}

std::string RouteTable::allowed(std::string_view path) const {
  const auto methods = by_path_.find(path);
  if (methods == by_path_.end()) {
    return "";
  }
  std::string all;
  for (const auto& [method, entry] : methods->second) {
    all += method + (method == "GET" ? ", HEAD, " : ", ");
  }
  return all + "OPTIONS";
}

}  // namespace heed
