// What whole numbers may be at most, by what they count. No sane setting comes near; with these, no
// product of two sizes overflows, and an absurd number is refused with the setting's name.
#pragma once

#include <cstdint>

namespace heed {

inline constexpr int64_t most_width = 65536;              // channels, filters, buckets
inline constexpr int64_t most_slots = int64_t{1} << 24;   // rows of a sentence, windows
inline constexpr int64_t most_steps = 1'000'000'000'000;  // of a run; bytes of a line
inline constexpr int64_t most_examples = 1'000'000'000;   // sentences, tokens of a batch

}  // namespace heed
