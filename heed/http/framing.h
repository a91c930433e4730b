// How a request's body is measured, and whether the connection goes on after it: what the fields of its
// head say (RFC 9112, sections 3.2, 6 and 9). Whatever two readers could understand in two ways is refused.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "heed/http/request.h"

namespace heed {

struct BodyFraming {
  enum class Body { none, length, chunked };
  Body body = Body::none;
  uint64_t length = 0;            // of Body::length
  bool keeps_alive = true;        // the client may send another request
  bool expects_continue = false;  // it waits for 100 Continue before it sends the body
};

std::variant<BodyFraming, HttpRefusal> framing_of(const HttpRequest& head);

/// Sets path and query from the target.
std::optional<HttpRefusal> split_target(HttpRequest& head);

}  // namespace heed
