// An answer, and its bytes on the wire.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "heed/http/status.h"

namespace heed {

struct HttpResponse {
  int status = 200;
  std::string type = "application/json";  // Content-Type; empty: it has no body
  std::string body = {};
  std::vector<HttpField> fields = {};  // further ones, with the names as they are sent
  /// In place of `body`: bytes that many answers share.
  std::shared_ptr<const std::string> shared = {};

  std::string_view bytes() const { return shared ? std::string_view(*shared) : body; }
};

/// What the connection adds to a head.
struct WrittenHead {
  bool keeps_alive = true;
  bool is_chunked = false;  // a stream
  bool is_measured = true;  // false: a stream that ends with the connection, as HTTP/1.0 has it
  std::string_view id = {};
  std::string_view date = {};
};

/// Status line and fields, up to and with the empty line. Control letters in values become blanks.
std::string written_head(const HttpResponse& response, const WrittenHead& how);

/// "Thu, 19 Nov 2026 20:15:00 GMT" (RFC 9110, section 5.6.7).
std::string http_date(std::int64_t unix_seconds);

/// One event of an event stream (HTML standard, section 9.2): a name and one line of data.
std::string written_event(std::string_view name, std::string_view data);

}  // namespace heed
