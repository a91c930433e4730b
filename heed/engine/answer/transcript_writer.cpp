#include "heed/engine/answer/transcript_writer.h"

#include <algorithm>
#include <cmath>

#include "heed/base/json.h"
#include "heed/engine/answer/answer_writer.h"
#include "heed/text/display_width.h"

namespace heed {
namespace {

constexpr size_t most_columns = 42;
constexpr double longest_pause = 0.8;

double rounded(double seconds) { return std::round(seconds * 1000) / 1000; }

Json words_json(const std::vector<SpokenWord>& words, bool with_times) {
  Json list = Json::array();
  for (const SpokenWord& word : words) {
    Json one = Json::object();
    one.set("text", word.text);
    if (with_times) {
      one.set("start", rounded(word.start));
      one.set("end", rounded(word.end));
    }
    list.push(std::move(one));
  }
  return list;
}

/// A subtitle may not contain what ends it, and WebVTT reads & and < as marks.
std::string subtitle_text(const std::string& text, SubtitleForm form) {
  std::string out;
  for (const char letter : text) {
    if (form == SubtitleForm::vtt && (letter == '&' || letter == '<' || letter == '>')) {
      out += letter == '&' ? "&amp;" : letter == '<' ? "&lt;" : "&gt;";
    } else {
      out += letter == '\n' || letter == '\r' ? ' ' : letter;
    }
  }
  return out;
}

}  // namespace

std::vector<Cue> cues_of(const std::vector<SpokenWord>& words) {
  std::vector<Cue> cues;
  for (const SpokenWord& word : words) {
    const bool fits =
        !cues.empty() && word.start - cues.back().end <= longest_pause &&
        display_width(cues.back().text) + 1 + display_width(word.text) <= most_columns;
    if (!fits) {
      cues.push_back({word.text, word.start, word.end});
      continue;
    }
    cues.back().text += " " + word.text;
    cues.back().end = std::max(cues.back().end, word.end);
  }
  return cues;
}

std::string clock_time(double seconds, SubtitleForm form) {
  const auto all = static_cast<long long>(std::llround(std::max(seconds, 0.0) * 1000));
  return fmt::format("{:02}:{:02}:{:02}{}{:03}", all / 3'600'000, all / 60'000 % 60,
                     all / 1000 % 60, form == SubtitleForm::srt ? ',' : '.', all % 1000);
}

std::string subtitles(const std::vector<Cue>& cues, SubtitleForm form, size_t first) {
  std::string out;
  for (const Cue& cue : cues) {
    if (form == SubtitleForm::srt) {
      out += fmt::format("{}\n", first++);
    }
    out += fmt::format("{} --> {}\n{}\n\n", clock_time(cue.start, form), clock_time(cue.end, form),
                       subtitle_text(cue.text, form));
  }
  return out;
}

std::string timed_line(const std::vector<SpokenWord>& words) {
  std::string line;
  for (const SpokenWord& word : words) {
    if (word.text.find_first_not_of(" \t") != std::string::npos) {
      line += fmt::format("{}{}@{:.3f}", line.empty() ? "" : " ", word.text, word.start);
    }
  }
  return line;
}

std::string transcript_json(const std::string& file, const std::vector<Reply>& best,
                            const TrainedModel& trained) {
  const Reply& first = best.front();
  const Seen& heard = first.looked();
  const bool timed = has_times(heard);
  Json object = Json::object();
  object.set("file", file);
  if (!heard.seconds.empty()) {
    object.set("seconds", rounded(heard.seconds.back() - heard.seconds.front()));
  }
  object.set("text", first.text);
  object.set("score", first.score);
  set_log_probability(object, first);
  object.set("words", words_json(spoken(heard, trained, SpokenUnit::words), timed));
  object.set("tokens", words_json(spoken(heard, trained, SpokenUnit::tokens), timed));
  if (best.size() > 1) {
    Json all = Json::array();
    for (const Reply& one : best) {
      Json other = Json::object();
      other.set("text", one.text);
      other.set("score", one.score);
      set_log_probability(other, one);
      other.set("words", words_json(spoken(one.looked(), trained, SpokenUnit::words),
                                    has_times(one.looked())));
      all.push(std::move(other));
    }
    object.set("n_best", std::move(all));
  }
  return object.write() + "\n";
}

}  // namespace heed
