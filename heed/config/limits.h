// Upper limits of whole numbers, by what they count. Sensible settings stay far below them. No
// product of two sizes overflows, and an absurd number is refused with the setting's name.
#pragma once

#include <cstdint>

namespace heed {

inline constexpr int64_t most_width = 65536;              // channels, filters, buckets
inline constexpr int64_t most_slots = int64_t{1} << 24;   // rows of a sentence, windows
inline constexpr int64_t most_steps = 1'000'000'000'000;  // steps of a run, bytes of a line
inline constexpr int64_t most_examples = 1'000'000'000;   // sentences, tokens of a batch

}  // namespace heed
