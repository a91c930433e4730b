// What a search finds.
#pragma once

#include <cstdint>
#include <vector>

namespace heed {

struct Hypothesis {
  std::vector<int32_t> ids;  // without the end token
  double log_probability = 0;
  double score = 0;
  bool ended = false;                       // false: the length limit cut it
  std::vector<std::vector<float>> weights;  // [words (+ end), source slots] where asked for
};

}  // namespace heed
