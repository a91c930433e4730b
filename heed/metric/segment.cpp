#include "heed/metric/segment.h"

#include <algorithm>

#include "heed/text/utf8.h"

namespace heed {

bool is_blank(char32_t code) { return is_white_space(code) || (code >= 0x1C && code <= 0x1F); }

std::vector<std::u32string> split_at_blanks(std::u32string_view text) {
  std::vector<std::u32string> words;
  std::size_t start = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    if (at == text.size() || is_blank(text[at])) {
      if (at > start) {
        words.emplace_back(text.substr(start, at - start));
      }
      start = at + 1;
    }
  }
  return words;
}

std::u32string_view strip_right(std::u32string_view text) {
  while (!text.empty() && is_blank(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

std::u32string_view strip(std::u32string_view text) {
  text = strip_right(text);
  while (!text.empty() && is_blank(text.front())) {
    text.remove_prefix(1);
  }
  return text;
}

std::u32string WordNumbers::of(const std::vector<std::u32string>& words) {
  std::u32string sentence;
  sentence.reserve(words.size());
  for (const std::u32string& word : words) {
    const auto number = static_cast<char32_t>(numbers_.size());
    sentence += numbers_.try_emplace(word, number).first->second;
  }
  return sentence;
}

Ngrams count_ngrams(std::u32string_view sequence, std::size_t order) {
  Ngrams counts;
  for (std::size_t at = 0; at + order <= sequence.size(); ++at) {
    ++counts[sequence.substr(at, order)];
  }
  return counts;
}

long common(const Ngrams& a, const Ngrams& b) {
  long sum = 0;
  for (const auto& [ngram, count] : a) {
    const auto found = b.find(ngram);
    sum += found == b.end() ? 0 : std::min(count, found->second);
  }
  return sum;
}

long ngrams_in(std::size_t length, std::size_t order) {
  return length < order ? 0 : static_cast<long>(length - order + 1);
}

}  // namespace heed
