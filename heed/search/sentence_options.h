// The options of one sentence.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "heed/search/sentence_settings.h"

namespace heed {

/// The key of the random draws of a part of a line, whatever batch it is in.
constexpr int64_t number_of_part(int64_t line, int64_t part = 0) { return (line << 20) + part; }

struct SentenceOptions {
  int64_t number = 0;                // the key of its random draws, whatever batch it is in
  std::vector<int32_t> prefix = {};  // the words it begins with
  std::vector<std::vector<int32_t>> phrases = {};  // phrases it must contain (`constrained`)
  std::optional<uint64_t> seed = {};               // of its random draws; none: the search's seed
  std::optional<SentenceSettings> settings = {};   // how it is searched; none: as the search says
};

}  // namespace heed
