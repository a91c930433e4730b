// Kinds of letters in HTTP's grammar (RFC 9110, section 5.6.2; RFC 9112), by ASCII alone: no locale
// changes them.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace heed {

constexpr bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

/// The value of a hexadecimal digit, or -1.
constexpr int hex_digit(char letter) {
  if (is_digit(letter)) {
    return letter - '0';
  }
  const char lower = static_cast<char>(letter | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// A letter of a token: of a method, of the name of a field.
constexpr bool is_token_letter(char letter) {
  const char lower = static_cast<char>(letter | 0x20);
  return is_digit(letter) || (lower >= 'a' && lower <= 'z') ||
         std::string_view("!#$%&'*+-.^_`|~").find(letter) != std::string_view::npos;
}

inline bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_token_letter);
}

/// Control letters other than the tabulator: no line of a head has them.
constexpr bool is_control(char letter) {
  const auto byte = static_cast<unsigned char>(letter);
  return (byte < 0x20 && letter != '\t') || byte == 0x7F;
}

constexpr char lower_letter(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + ('a' - 'A')) : letter;
}

inline std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), lower_letter);
  return lower;
}

/// Without the blanks and tabulators around it.
constexpr std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  return first == std::string_view::npos
             ? std::string_view()
             : text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

}  // namespace heed
