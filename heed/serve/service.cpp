#include "heed/serve/service.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <utility>

#include "heed/base/error.h"
#include "heed/http/multipart.h"
#include "heed/http/target.h"
#include "heed/serve/fault_answer.h"
#include "heed/serve/request_fields.h"

namespace heed {
namespace {

/// 2026-11-19T20:15:00Z
std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

Json json_in(const HttpRequest& request, const ServeOptions& options) {
  JsonLimits limits;
  limits.most_bytes = static_cast<size_t>(options.json_bytes);
  limits.most_depth = static_cast<size_t>(options.json_depth);
  limits.most_values = limits.most_bytes / 8 + 16;
  return parse_json(request.body, "the request", limits, Fault::usage);
}

/// The query and the fields of a form, without its files.
HttpParameters parameters_in(const HttpRequest& request) {
  HttpParameters all = request.query;
  const std::string type = type_of(request);
  if (type == "application/x-www-form-urlencoded") {
    auto more = form_parameters(request.body);
    if (!more) {
      fail(Fault::usage, "the request: the form cannot be decoded");
    }
    all.insert(all.end(), more->begin(), more->end());
  } else if (type == "multipart/form-data") {
    auto parts = form_parts(*request.find("content-type"), request.body);
    if (!parts) {
      fail(Fault::usage, "the request: the form cannot be taken apart");
    }
    for (FormPart& part : *parts) {
      if (part.file_name.empty()) {
        all.emplace_back(std::move(part.name), std::move(part.bytes));
      }
    }
  }
  return all;
}

/// The fields of a request as a tree of values.
Json fields_in(Route& route, const HttpRequest& request, const ServeOptions& options) {
  const bool is_json = type_of(request) == "application/json";
  const bool is_form = route.reads() == Route::Reads::form;
  if (route.reads() == Route::Reads::json || (is_form && is_json)) {
    return json_in(request, options);
  }
  const bool has_form = is_form || route.reads() == Route::Reads::upload;
  return tree_of(has_form ? parameters_in(request) : request.query, route);
}

}  // namespace

Service::Service(const ServeOptions& options, Engine engine, std::vector<ServedModel> models,
                 std::string version, Log log)
    : state_(options, std::move(engine), std::move(models), std::move(version)),
      door_(options),
      log_(std::move(log)) {
  for (const auto& entry : routes()) {
    usual_[&entry] = entry.make();
    usual_[&entry]->prepare(state_);
  }
  server_ =
      std::make_unique<HttpServer>(HttpServerOptions{.address = options.address,
                                                     .port = static_cast<uint16_t>(options.port),
                                                     .limits = options.http},
                                   *this);
}

/// The clerk uses what is here.
Service::~Service() { state_.end(); }

std::string Service::url() const {
  const std::string& address = state_.options.address;
  const bool is_v6 = address.find(':') != std::string::npos;
  return fmt::format("http://{}:{}", is_v6 ? "[" + address + "]" : address, port());
}

void Service::stop() {
  const bool is_again = state_.is_draining.exchange(true);
  server_->stop(is_again ? 0 : state_.options.drain_seconds);
}

const Route* Service::usual(const RouteTable::Entry* entry) const {
  return entry == nullptr ? nullptr : usual_.at(entry).get();
}

std::optional<HttpRefusal> Service::refuse_path(const HttpRequest& head) const {
  const std::string allowed = table_.allowed(head.path);
  if (allowed.empty()) {
    return HttpRefusal{404, "there is nothing at this path; GET /openapi.json lists what there is"};
  }
  return HttpRefusal{405, "this path takes " + allowed, {{"Allow", allowed}}};
}

std::optional<HttpRefusal> Service::admit(const HttpRequest& head, int64_t& body_bytes) {
  const RouteTable::Entry* const entry = table_.find(head.method, head.path);
  const Route* const route = usual(entry);
  if (auto refusal = door_.refuse(head, route, std::chrono::steady_clock::now())) {
    return refusal;
  }
  if (head.method == "OPTIONS" && !table_.allowed(head.path).empty()) {
    body_bytes = 0;
    return std::nullopt;
  }
  if (route == nullptr) {
    return refuse_path(head);
  }
  if (state_.is_draining && route->needs_key()) {
    return HttpRefusal{503, "the server ends", {{"Retry-After", "1"}}};
  }
  if (route->reads() == Route::Reads::json || route->reads() == Route::Reads::form) {
    body_bytes = std::min(body_bytes, state_.options.json_bytes);
  }
  return std::nullopt;
}

void Service::handle(HttpExchange exchange) {
  const HttpRequest& request = exchange.request();
  const RouteTable::Entry* const entry = table_.find(request.method, request.path);
  if (entry == nullptr) {  // OPTIONS, by which a page asks for leave
    exchange.answer(
        {.status = 204, .type = "", .fields = {{"Allow", table_.allowed(request.path)}}});
    return;
  }
  const auto deadline = std::chrono::steady_clock::now() +
                        std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                            std::chrono::duration<double>(state_.options.request_seconds));
  if (usual(entry)->is_quick()) {
    answer(*entry, exchange, deadline);
  } else if (state_.asked() < state_.options.queue) {
    exchange.keep(state_.asking());
    state_.clerk.begin([this, entry, exchange, deadline] { answer(*entry, exchange, deadline); });
  } else {
    HttpResponse full = usual(entry)->fault(503, "too many requests wait; try again");
    full.fields.push_back({"Retry-After", "1"});
    exchange.answer(std::move(full));
  }
}

void Service::answer(const RouteTable::Entry& entry, const HttpExchange& exchange,
                     std::chrono::steady_clock::time_point deadline) {
  const std::unique_ptr<Route> route = entry.make();
  try {
    route->prepare(state_);
    route->set_deadline(deadline);
    route->read(fields_in(*route, exchange.request(), state_.options), state_);
    if (const auto key = route->own_key(); key && !door_.takes_key(*key)) {
      exchange.answer(route->fault(403, "Invalid API key"));
    } else if (!exchange.left().stop_requested()) {
      route->answer(exchange, state_);
    }
  } catch (const std::exception& what) {
    exchange.answer(route->fault(what));
  }
}

HttpResponse Service::refused(const HttpRefusal& refusal, const HttpRequest* head) {
  const Route* const route = head == nullptr ? nullptr : usual(table_.find(head->path));
  return route == nullptr ? fault_answer(refusal.status, refusal.reason)
                          : route->fault(refusal.status, refusal.reason);
}

void Service::dress(HttpResponse& answer, const HttpRequest* head) {
  answer.fields.push_back({"X-Content-Type-Options", "nosniff"});
  answer.fields.push_back({"Cache-Control", "no-store"});
  const std::string* const origin = head == nullptr ? nullptr : head->find("origin");
  if (origin == nullptr || !door_.takes_origin(*origin)) {
    return;
  }
  answer.fields.push_back({"Access-Control-Allow-Origin", *origin});
  answer.fields.push_back({"Vary", "Origin"});
  if (head->method == "OPTIONS") {
    answer.fields.push_back({"Access-Control-Allow-Methods", "GET, POST"});
    answer.fields.push_back({"Access-Control-Allow-Headers", "Authorization, Content-Type"});
  }
}

void Service::note(const HttpAccount& account) {
  const HttpRequest* const head = account.request;
  const RouteTable::Entry* const entry =
      head == nullptr ? nullptr : table_.find(head->method, head->path);
  const std::string route = entry == nullptr ? "none" : entry->name;
  state_.meters.count(route, account.status, account.seconds, account.sent);
  if (log_) {
    Json line = Json::object().set("time", utc_now()).set("id", account.id);
    line.set("peer", account.peer).set("route", route).set("status", account.status);
    line.set("bytes", account.sent).set("ms", std::round(account.seconds * 1e6) / 1e3);
    log_(line.write());
  }
}

}  // namespace heed
