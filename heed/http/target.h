// The target of a request, and what forms send in the same way: /path?name=value&name=value
// (RFC 3986; WHATWG URL, application/x-www-form-urlencoded).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "heed/http/request.h"

namespace heed {

/// With %XX as bytes and, if `plus_is_blank`, + as a blank; nothing where a % is not followed by two
/// hexadecimal digits.
std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_blank);

/// name=value&name=value; nothing where a part cannot be decoded.
std::optional<HttpParameters> form_parameters(std::string_view text);

}  // namespace heed
