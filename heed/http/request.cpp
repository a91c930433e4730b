#include "heed/http/request.h"

#include <algorithm>

namespace heed {

const std::string* HttpRequest::find(std::string_view name) const {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [name](const HttpField& one) { return one.name == name; });
  return found == fields.end() ? nullptr : &found->value;
}

}  // namespace heed
