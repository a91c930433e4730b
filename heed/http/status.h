// Status codes, and why a request is refused.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed {

/// A field of a head. The names of a request's fields are in lower case.
struct HttpField {
  std::string name;
  std::string value;
  bool operator==(const HttpField&) const = default;
};

/// A request that is not served: its status, and the reason as a person would say it.
struct HttpRefusal {
  int status = 400;
  std::string reason;
  std::vector<HttpField> fields = {};  // of the answer, such as Retry-After and Allow
  bool operator==(const HttpRefusal&) const = default;
};

/// "Not Found" for 404; "Unknown" for a code that no answer of ours has.
std::string_view http_phrase(int status);

}  // namespace heed
