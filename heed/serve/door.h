// Who may come in: what is known of a request from its head alone decides whether its body is read.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "heed/http/request.h"
#include "heed/serve/keys.h"
#include "heed/serve/route.h"
#include "heed/serve/serve_options.h"
#include "heed/serve/token_bucket.h"

namespace heed {

/// Used by one thread.
class Door {
 public:
  /// Fault::usage if others can reach the address and nobody is asked for a key.
  explicit Door(const ServeOptions& options);

  /// Why the request is refused. A Host that is not ours may be another page's doing (DNS rebinding), as
  /// may a POST with another Origin or a type that forms can send.
  std::optional<HttpRefusal> refuse(const HttpRequest& head, const Route* route,
                                    std::chrono::steady_clock::time_point now);
  /// Whether this key lets a client in; everybody comes in where there are no keys.
  bool takes_key(const std::string& key) const;
  /// Whether pages of this origin may read the answer.
  bool takes_origin(const std::string& origin) const;

 private:
  std::optional<HttpRefusal> refuse_host(const HttpRequest& head) const;
  std::optional<HttpRefusal> refuse_origin(const HttpRequest& head) const;
  std::optional<HttpRefusal> refuse_type(const HttpRequest& head, const Route& route) const;
  std::optional<HttpRefusal> refuse_key(const HttpRequest& head, const Route& route,
                                        std::string& client) const;

  std::vector<std::string> hosts_;  // lower case
  std::vector<std::string> origins_;
  Keys keys_;
  TokenBuckets buckets_;
};

/// The type of the body without its parameters: application/json of `application/json; charset=utf-8`.
std::string type_of(const HttpRequest& head);

/// "example.org" of "Example.org:8080", "[::1]" of "[::1]:8080".
std::string host_name(std::string_view host);

}  // namespace heed
