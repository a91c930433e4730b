// What is asked of one sentence beside its source.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace heed {

struct SentenceOptions {
  int64_t number = 0;                // names its random draws, whatever batch it is in
  std::vector<int32_t> prefix = {};  // the words it begins with
  std::vector<std::vector<int32_t>> phrases = {};  // what it must say: strategy `constrained`
  std::optional<uint64_t> seed = {};               // of its random draws; none: the search's
};

}  // namespace heed
