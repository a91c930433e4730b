// Transcripts as text, JSON, and subtitles.
//
//   SRT     1 ⏎ 00:00:01,250 --> 00:00:03,000 ⏎ text ⏎ ⏎           numbered, a comma before milliseconds
//   WebVTT  WEBVTT ⏎ ⏎ 00:00:01.250 --> 00:00:03.000 ⏎ text ⏎ ⏎
#pragma once

#include <string>
#include <vector>

#include "heed/engine/answer/word_times.h"

namespace heed {

enum class SubtitleForm { srt, vtt };

/// One line of a subtitle.
struct Cue {
  std::string text;
  double start = 0;
  double end = 0;
};

/// Words in lines of at most 42 letters; a pause of more than 0.8 s begins a new line too.
std::vector<Cue> cues_of(const std::vector<SpokenWord>& words);

/// 00:00:01,250 or 00:00:01.250; negative times are 0.
std::string clock_time(double seconds, SubtitleForm form);

/// The cues, numbered from `first` in SRT. A WebVTT file begins with a line that is not among them.
std::string subtitles(const std::vector<Cue>& cues, SubtitleForm form, size_t first);
inline constexpr const char* vtt_head = "WEBVTT\n\n";

/// one@0.12 two@0.58: every word with the second at which it begins. Blanks are left out.
std::string timed_line(const std::vector<SpokenWord>& words);

/// The JSON object of one recording, in one line with its newline. The first of `best` is the
/// transcript; the others, if any, are listed under "n_best".
std::string transcript_json(const std::string& file, const std::vector<Reply>& best,
                            const TrainedModel& trained);

}  // namespace heed
