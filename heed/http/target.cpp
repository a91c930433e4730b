#include "heed/http/target.h"

#include <algorithm>
#include <utility>

#include "heed/http/letters.h"

namespace heed {

std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_blank) {
  std::string bytes;
  bytes.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_blank) {
      bytes.push_back(' ');
    } else if (text[i] != '%') {
      bytes.push_back(text[i]);
    } else {
      const int high = i + 1 < text.size() ? hex_digit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
      if (high < 0 || low < 0) {
        return std::nullopt;
      }
      bytes.push_back(static_cast<char>(high * 16 + low));
      i += 2;
    }
  }
  return bytes;
}

std::optional<HttpParameters> form_parameters(std::string_view text) {
  HttpParameters all;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    if (part.empty()) {
      continue;
    }
    const auto equals = part.find('=');
    auto name = percent_decoded(part.substr(0, equals), true);
    auto value = percent_decoded(
        equals == std::string_view::npos ? std::string_view() : part.substr(equals + 1), true);
    if (!name || !value) {
      return std::nullopt;
    }
    all.emplace_back(std::move(*name), std::move(*value));
  }
  return all;
}

}  // namespace heed
