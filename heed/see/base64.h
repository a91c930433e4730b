// Bytes as text (RFC 4648), for pictures inside an SVG.
#pragma once

#include <string>
#include <string_view>

namespace heed {

std::string to_base64(std::string_view bytes);

}  // namespace heed
