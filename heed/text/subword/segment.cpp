#include "heed/text/subword/segment.h"

#include <algorithm>

namespace heed {

std::size_t character_length(std::string_view text, std::size_t at) {
  const auto lead = static_cast<uint8_t>(text[at]);
  const std::size_t promised = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  return std::min(promised, text.size() - at);
}

}  // namespace heed
