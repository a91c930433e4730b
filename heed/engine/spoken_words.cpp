#include "heed/engine/spoken_words.h"

#include <algorithm>

#include "heed/text/utf8.h"
#include "heed/text/word_pieces.h"

namespace heed {
namespace {

/// Slots [first, last) of one token.
struct Slots {
  size_t first = 0;
  size_t last = 0;
};

Slots around_heaviest(const std::vector<float>& weights) {
  const auto most = std::max_element(weights.begin(), weights.end());
  if (most == weights.end() || !(*most > 0)) {
    return {};
  }
  const float half = *most / 2;
  auto first = most;
  while (first != weights.begin() && *(first - 1) >= half) {
    --first;
  }
  auto last = most + 1;
  while (last != weights.end() && *last >= half) {
    ++last;
  }
  return {static_cast<size_t>(first - weights.begin()),
          static_cast<size_t>(last - weights.begin())};
}

bool is_blank(const std::string& token) {
  const std::u32string codes = code_points(token);
  return std::all_of(codes.begin(), codes.end(), is_white_space);
}

/// Whether a word begins with token i, given that no blank and no new part does it.
bool begins_word(const Tokeniser& tokeniser, const std::string& token) {
  if (const auto* pieces = dynamic_cast<const WordPieces*>(&tokeniser)) {
    return pieces->begins_word(token);
  }
  // Where joining two tokens puts a blank between them, every token is a word.
  const std::vector<std::string> two = {token, token};
  return tokeniser.join(two).size() > 2 * token.size();
}

}  // namespace

bool has_times(const Translation& transcript) {
  return !transcript.weights.empty() && !transcript.seconds.empty();
}

std::vector<SpokenWord> spoken(const Translation& transcript, const TrainedModel& trained,
                               SpokenUnit unit) {
  const Tokeniser& tokeniser = trained.fields.target->vocabulary().tokeniser();
  const std::vector<size_t>& parts = transcript.parts;
  std::vector<SpokenWord> all;
  std::vector<std::string> tokens;  // of the present word
  double now = transcript.seconds.empty() ? 0 : transcript.seconds.front();
  bool is_open = false;
  const size_t count = transcript.target.size() - (transcript.ended ? 1 : 0);
  for (size_t i = 0; i < count; ++i) {
    const std::string& token = transcript.target[i];
    const bool is_new_part = std::find(parts.begin(), parts.end(), i) != parts.end();
    if (unit == SpokenUnit::words && is_blank(token)) {
      is_open = false;
      continue;
    }
    double start = now;
    double end = now;
    if (has_times(transcript) && i < transcript.weights.size()) {
      const Slots slots = around_heaviest(transcript.weights[i]);
      if (slots.last > slots.first) {
        start = transcript.seconds[slots.first];
        end = transcript.seconds[slots.last];
      }
    }
    if (!is_open || is_new_part || unit == SpokenUnit::tokens || begins_word(tokeniser, token)) {
      all.push_back({"", start, end});
      tokens.clear();
    }
    tokens.push_back(token);
    all.back().text = unit == SpokenUnit::tokens ? token : tokeniser.join(tokens);
    all.back().end = std::max(all.back().end, end);
    now = all.back().end;
    is_open = true;
  }
  return all;
}

}  // namespace heed
