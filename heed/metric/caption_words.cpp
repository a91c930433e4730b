#include "heed/metric/caption_words.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "heed/metric/segment.h"
#include "heed/text/letter.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

/// The tokens that pycocoevalcap's tokeniser leaves out. It also lists brackets as -LRB- and so on,
/// which it compares after the text has become small and hence never finds.
bool is_dropped(const std::u32string& word) {
  constexpr std::array<std::u32string_view, 13> dropped = {
      U"''", U"'", U"``", U"`", U".", U"?", U"!", U",", U":", U"-", U"--", U"...", U";"};
  return std::find(dropped.begin(), dropped.end(), word) != dropped.end();
}

}  // namespace

WordList CaptionWords::of(const std::string& caption) const {
  WordList words = split_at_blanks(lower(code_points(caption)));
  if (drops_punctuation_) {
    std::erase_if(words, is_dropped);
  }
  return words;
}

std::vector<WordList> CaptionWords::of_each(const References& captions) const {
  std::vector<WordList> all;
  all.reserve(captions.size());
  for (const std::string& caption : captions) {
    all.push_back(of(caption));
  }
  return all;
}

Traits CaptionWords::traits() const {
  return {{"case", "lc"}, {"tok", "none"}, {"punct", drops_punctuation_ ? "no" : "yes"}};
}

}  // namespace heed
