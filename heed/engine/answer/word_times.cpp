#include "heed/engine/answer/word_times.h"

#include <algorithm>

#include "heed/media/onset.h"
#include "heed/text/utf8.h"
#include "heed/text/word_pieces.h"

namespace heed {
namespace {

/// Seconds that a word of one token lasts at most, unless its weights last longer.
constexpr double longest_of_one = 0.5;

/// Slots [first, last) of one token.
struct Slots {
  size_t first = 0;
  size_t last = 0;
};

Slots around_heaviest(std::span<const float> weights) {
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

/// Whether a token is between words: a blank, or one that no text has.
bool is_between(const Vocabulary& vocabulary, const std::string& token) {
  const auto named = vocabulary.id_of_name(token);
  const std::u32string codes = code_points(token);
  return (named && !vocabulary.is_text(*named)) ||
         std::all_of(codes.begin(), codes.end(), is_white_space);
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

/// Words of one token last until the next word, or the recording, ends their silence.
void lengthen(std::vector<SpokenWord>& words, const std::vector<size_t>& tokens, double end) {
  for (size_t i = 0; i < words.size(); ++i) {
    if (tokens[i] == 1) {
      const double next = i + 1 < words.size() ? words[i + 1].start : end;
      words[i].end = std::max(words[i].end, std::min(next, words[i].start + longest_of_one));
    }
  }
}

}  // namespace

std::vector<HeardTime> heard_times(const WeightMatrix& weights,
                                   const std::vector<double>& seconds) {
  std::vector<HeardTime> times;
  for (size_t i = 0; !seconds.empty() && i < weights.rows(); ++i) {
    const Slots slots = around_heaviest(weights.row(i));
    times.push_back({seconds[slots.first], seconds[slots.last]});
  }
  return times;
}

void begin_with_sound(Seen& transcript, const TrainedModel& trained, const SoundLevels& levels) {
  const Vocabulary& vocabulary = trained.fields.target->vocabulary();
  const Tokeniser& tokeniser = vocabulary.tokeniser();
  const double origin = transcript.seconds.empty() ? 0 : transcript.seconds.front();
  double from = origin;
  bool is_open = false;
  const size_t count = transcript.rows.size() - (transcript.rows_end ? 1 : 0);
  for (size_t i = 0; i < std::min(count, transcript.times.size()); ++i) {
    HeardTime& heard = transcript.times[i];
    const bool is_known = heard.end > heard.start;
    const bool is_gap = is_between(vocabulary, transcript.rows[i]);
    const double end = heard.end;
    if (is_known && !is_gap && (!is_open || begins_word(tokeniser, transcript.rows[i]))) {
      heard.start = origin + sound_onset(levels, from - origin, heard.start - origin);
    }
    from = !is_known ? from : is_gap ? heard.start : end;
    is_open = !is_gap;
  }
}

void end_with_sound(Seen& transcript, const TrainedModel& trained, const SoundLevels& levels) {
  const Vocabulary& vocabulary = trained.fields.target->vocabulary();
  const Tokeniser& tokeniser = vocabulary.tokeniser();
  const double origin = transcript.seconds.empty() ? 0 : transcript.seconds.front();
  HeardTime* last = nullptr;  // of the present word
  double since = 0;
  const auto close = [&](double until) {
    if (last != nullptr) {
      last->end = origin + sound_end(levels, since - origin, last->end - origin, until - origin);
    }
    last = nullptr;
  };
  const size_t count = transcript.rows.size() - (transcript.rows_end ? 1 : 0);
  bool is_open = false;
  for (size_t i = 0; i < std::min(count, transcript.times.size()); ++i) {
    HeardTime& heard = transcript.times[i];
    const bool is_gap = is_between(vocabulary, transcript.rows[i]);
    if (!is_gap && heard.end > heard.start) {
      if (!is_open || begins_word(tokeniser, transcript.rows[i])) {
        close(heard.start);
        since = heard.start;
      }
      last = &heard;
    }
    is_open = !is_gap;
  }
  if (!transcript.seconds.empty()) {
    close(transcript.seconds.back());
  }
  transcript.ends_with_sound = true;
}

void take_off(Seen& transcript, double late) {
  for (HeardTime& heard : transcript.times) {
    heard.start = std::max(heard.start - late, transcript.seconds.front());
    heard.end = std::max(heard.end - late, transcript.seconds.front());
  }
}

bool has_times(const Seen& transcript) { return !transcript.times.empty(); }

std::vector<SpokenWord> spoken(const Seen& transcript, const TrainedModel& trained,
                               SpokenUnit unit) {
  const Vocabulary& vocabulary = trained.fields.target->vocabulary();
  const Tokeniser& tokeniser = vocabulary.tokeniser();
  const std::vector<size_t>& parts = transcript.parts;
  std::vector<SpokenWord> all;
  std::vector<std::string> tokens;  // of the present word
  std::vector<size_t> counts;       // of tokens, of each word
  double now = transcript.seconds.empty() ? 0 : transcript.seconds.front();
  bool is_open = false;
  const size_t count = transcript.rows.size() - (transcript.rows_end ? 1 : 0);
  for (size_t i = 0; i < count; ++i) {
    const std::string& token = transcript.rows[i];
    const bool is_new_part = std::find(parts.begin(), parts.end(), i) != parts.end();
    if (unit == SpokenUnit::words && is_between(vocabulary, token)) {
      is_open = false;
      continue;
    }
    const HeardTime heard = i < transcript.times.size() ? transcript.times[i] : HeardTime{};
    const bool is_known = heard.end > heard.start;
    const double start = is_known ? heard.start : now;
    const double end = is_known ? heard.end : now;
    if (!is_open || is_new_part || unit == SpokenUnit::tokens || begins_word(tokeniser, token)) {
      all.push_back({"", start, end});
      tokens.clear();
      counts.push_back(0);
    }
    tokens.push_back(token);
    ++counts.back();
    all.back().text = unit == SpokenUnit::tokens ? token : tokeniser.join(tokens);
    all.back().end = std::max(all.back().end, end);
    now = all.back().end;
    is_open = true;
  }
  if (unit == SpokenUnit::words && has_times(transcript) && !transcript.ends_with_sound) {
    lengthen(all, counts, transcript.seconds.back());
  }
  return all;
}

}  // namespace heed
