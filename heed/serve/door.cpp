#include "heed/serve/door.h"

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"
#include "heed/http/letters.h"

namespace heed {
namespace {

bool contains(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

bool is_own_address(const std::string& address) {
  return address == "::1" || address.starts_with("127.");
}

/// The key in `Authorization: Bearer KEY` or `X-API-Key: KEY`; empty where there is none.
std::string key_of(const HttpRequest& head) {
  const std::string* const bearer = head.find("authorization");
  if (bearer != nullptr && lower_case(bearer->substr(0, 7)) == "bearer ") {
    return std::string(trimmed(bearer->substr(7)));
  }
  const std::string* const key = head.find("x-api-key");
  return key == nullptr ? "" : *key;
}

}  // namespace

std::string type_of(const HttpRequest& head) {
  const std::string* const given = head.find("content-type");
  return given == nullptr ? "" : lower_case(trimmed(given->substr(0, given->find(';'))));
}

std::string host_name(std::string_view host) {
  const auto bracket = host.rfind(']');
  const auto colon = host.rfind(':');
  const bool has_port = colon != std::string_view::npos &&
                        (bracket == std::string_view::npos ? true : colon > bracket);
  return lower_case(has_port ? host.substr(0, colon) : host);
}

Door::Door(const ServeOptions& options)
    : hosts_{"localhost", "127.0.0.1", "[::1]"},
      origins_(options.origins),
      keys_(options.keys),
      buckets_(options.rate, static_cast<double>(options.burst)) {
  if (!is_own_address(options.address) && !keys_.are_there() && !options.is_insecure) {
    fail(Fault::usage,
         "serve: others can reach {}; give them keys by --keys FILE, or say --insecure to let "
         "anybody ask",
         options.address);
  }
  const bool is_v6 = options.address.find(':') != std::string::npos;
  hosts_.push_back(lower_case(is_v6 ? "[" + options.address + "]" : options.address));
  for (const std::string& host : options.hosts) {
    hosts_.push_back(host_name(host));
  }
}

bool Door::takes_key(const std::string& key) const {
  return !keys_.are_there() || keys_.find(key).has_value();
}

bool Door::takes_origin(const std::string& origin) const { return contains(origins_, origin); }

std::optional<HttpRefusal> Door::refuse(const HttpRequest& head, const Route* route,
                                        std::chrono::steady_clock::time_point now) {
  if (auto refusal = refuse_host(head)) {
    return refusal;
  }
  if (route == nullptr) {
    return std::nullopt;
  }
  if (head.method == "POST") {
    if (auto refusal = refuse_origin(head)) {
      return refusal;
    }
  }
  std::string client = head.peer;
  if (auto refusal = refuse_key(head, *route, client)) {
    return refusal;
  }
  if (const double wait = route->needs_key() ? buckets_.take(client, now) : 0; wait > 0) {
    return HttpRefusal{429,
                       "too many requests; slow down",
                       {{"Retry-After", std::to_string(static_cast<int64_t>(std::ceil(wait)))}}};
  }
  return refuse_type(head, *route);
}

std::optional<HttpRefusal> Door::refuse_host(const HttpRequest& head) const {
  if (contains(hosts_, host_name(*head.find("host")))) {
    return std::nullopt;
  }
  return HttpRefusal{421,
                     "this server does not answer for the host of the request; --host adds one"};
}

std::optional<HttpRefusal> Door::refuse_origin(const HttpRequest& head) const {
  const std::string* const origin = head.find("origin");
  if (origin == nullptr || takes_origin(*origin) || *origin == "http://" + *head.find("host") ||
      *origin == "https://" + *head.find("host")) {
    return std::nullopt;
  }
  return HttpRefusal{403, "pages of this origin may not ask here; --origin lets one"};
}

std::optional<HttpRefusal> Door::refuse_key(const HttpRequest& head, const Route& route,
                                            std::string& client) const {
  if (!keys_.are_there() || !route.needs_key()) {
    return std::nullopt;
  }
  const std::string key = key_of(head);
  if (const auto number = keys_.find(key)) {
    client = "key " + std::to_string(*number);
    return std::nullopt;
  }
  return HttpRefusal{401,
                     key.empty() ? "a key is needed: Authorization: Bearer KEY"
                                 : "the key is not one of this server's",
                     {{"WWW-Authenticate", "Bearer"}}};
}

std::optional<HttpRefusal> Door::refuse_type(const HttpRequest& head, const Route& route) const {
  if (head.method != "POST") {
    return std::nullopt;
  }
  const std::string type = type_of(head);
  const bool is_json = type == "application/json";
  if (route.reads() == Route::Reads::json && !is_json) {
    return HttpRefusal{415, "the content-type must be application/json"};
  }
  if (route.reads() == Route::Reads::upload && type != "multipart/form-data") {
    return HttpRefusal{415, "the content-type must be multipart/form-data"};
  }
  const bool is_form = type == "application/x-www-form-urlencoded" || type == "multipart/form-data";
  const std::string* const length = head.find("content-length");
  const bool is_empty = type.empty() && length != nullptr && *length == "0";
  if (route.reads() == Route::Reads::form && !is_json && !is_form && !is_empty) {
    return HttpRefusal{415, "the content-type must be application/json or that of a form"};
  }
  // What pages elsewhere can send without being asked for leave is refused here, too.
  if (route.reads() == Route::Reads::bytes &&
      (type.empty() || is_json || type == "text/plain" || type.starts_with("multipart/") ||
       type == "application/x-www-form-urlencoded")) {
    return HttpRefusal{415,
                       "the content-type must be that of the file, or application/octet-stream"};
  }
  return std::nullopt;
}

}  // namespace heed
