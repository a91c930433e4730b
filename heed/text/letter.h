// The category of a code point (Unicode's general categories, by their first letter), and text in
// small letters.
#pragma once

#include <string>
#include <string_view>

namespace heed {

enum class Category { letter, mark, number, punctuation, symbol, separator, other };

Category category(char32_t code);

/// Unicode's full mapping to small letters: one capital may become two characters (İ → i̇), and Σ
/// at the end of a word becomes ς.
std::u32string lower(std::u32string_view text);

}  // namespace heed
