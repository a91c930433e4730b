// What additive scores compute from a key once for all steps of a decoder:
//
//   e^(2 k_1) … e^(2 k_A), padding to a whole cache line, max_a |k_a|, padding again
//
// because tanh(q + k) = 1 − 2 / (1 + e^(2q) e^(2k)). Rows begin at cache lines, because a load that
// straddles two lines costs twice as much.
#pragma once

#include <cstdint>

#include "heed/device/kernel/attend.h"

namespace heed::cpu {

inline constexpr int64_t floats_a_line = 16;

/// The index of max |k| in a prepared key; `key_width` is A.
inline int64_t place_of_reach(int64_t key_width) {
  return (key_width + floats_a_line - 1) / floats_a_line * floats_a_line;
}
inline int64_t prepared_width(int64_t key_width) {
  return place_of_reach(key_width) + floats_a_line;
}

}  // namespace heed::cpu
