// The settings of answering sources, including those of the search, with names, ranges, defaults
// and help.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "heed/search/search_options.h"

namespace heed {

/// What a verb's models read. Text stands for everything but pictures and recordings.
enum class SourceKind { text, pictures, sound };

struct AnswerOptions : Described {
  void describe(Describer& d) override;

  SearchOptions search;
  std::string prefix = {};                // the beginning of every translation
  std::vector<std::string> phrases = {};  // phrases that every translation must contain
  bool replaces_unknowns = false;         // by the source word they attended to (Luong 2015)
  bool is_whole = true;                   // false: paragraphs are split into sentences and joined
  int64_t max_source = 0;                 // longer sentences are cut; 0: no limit
  double max_seconds = 30;                // longer recordings are cut at silence
  int64_t batch = 64;                     // sentences searched together

  // What the caller wants; these are not settings.
  bool sees = false;  // replies say what was seen, with weights if `search.weights` asks for them
  SourceKind reads = SourceKind::text;  // whose settings are listed
  int64_t first_line = 1;  // number of the first line: names random draws, and lines in warnings
  /// Called before every step; when it returns true, translating ends with an Error of kind
  /// `cancelled`.
  std::function<bool()> is_cancelled = {};
  /// Called for every part of a source that is done, with the seconds of its recording.
  std::function<void(double seconds)> follow = {};
};

}  // namespace heed
