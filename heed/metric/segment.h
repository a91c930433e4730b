// Text as sacreBLEU sees it: code points, split at what Python calls white space.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace heed {

/// Unicode's White_Space and the four information separators U+001C to U+001F.
bool is_blank(char32_t code);

std::vector<std::u32string> split_at_blanks(std::u32string_view text);

std::u32string_view strip_right(std::u32string_view text);
std::u32string_view strip(std::u32string_view text);

/// Numbers words, equal words with equal numbers. A sentence of words is then a string, and its
/// n-grams are views of it, like those of characters.
class WordNumbers {
 public:
  std::u32string of(const std::vector<std::u32string>& words);

 private:
  std::unordered_map<std::u32string, char32_t> numbers_;
};

/// How often each n-gram occurs; the views point into the counted sequence.
using Ngrams = std::unordered_map<std::u32string_view, long>;
Ngrams count_ngrams(std::u32string_view sequence, std::size_t order);

/// Σ_g min(a(g), b(g))
long common(const Ngrams& a, const Ngrams& b);

/// How many n-grams of this order a sequence has.
long ngrams_in(std::size_t length, std::size_t order);

}  // namespace heed
