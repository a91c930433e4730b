// A request as it came over a connection.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/http/status.h"

namespace heed {

using HttpParameters = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method;
  std::string target;             // as it came: /languages?of=en
  std::string path;               // decoded: /languages
  HttpParameters query = {};      // decoded, in their order
  std::vector<HttpField> fields;  // names in lower case, values without blanks around them
  std::string body = {};
  int minor = 1;          // HTTP/1.minor
  std::string peer = {};  // the address of the client
  std::string id = {};    // one of its own for every request; the answer carries it

  /// The value of the first field of this name, which is in lower case; null where there is none.
  const std::string* find(std::string_view name) const;
};

}  // namespace heed
