// What additive scores keep of a key beside it, so that a decoder makes it once for all its steps:
//
//   e^(2 k_1) … e^(2 k_A), room up to a whole cache line, max_a |k_a|, room again
//
// because tanh(q + k) = 1 − 2 / (1 + e^(2q) e^(2k)). Rows begin on cache lines: a row that straddles
// them costs every load twice.
#pragma once

#include <cstdint>

#include "heed/device/kernel/attend.h"

namespace heed::cpu {

inline constexpr int64_t floats_a_line = 16;

/// Where max |k| stands in a prepared key, A numbers wide before it was prepared.
inline int64_t place_of_reach(int64_t key_width) {
  return (key_width + floats_a_line - 1) / floats_a_line * floats_a_line;
}
inline int64_t prepared_width(int64_t key_width) {
  return place_of_reach(key_width) + floats_a_line;
}

}  // namespace heed::cpu
