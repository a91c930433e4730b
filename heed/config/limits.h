// Upper limits of numbers, by what they count. Sensible settings stay far below them. No product of
// two sizes overflows, and an absurd number is refused with the setting's name. Every setting that
// is a number has a least and a most value; a test walks over all of them.
#pragma once

#include <cstdint>

namespace heed {

inline constexpr int64_t most_width = 65536;              // channels, filters, buckets
inline constexpr int64_t most_slots = int64_t{1} << 24;   // rows of a sentence, windows
inline constexpr int64_t most_steps = 1'000'000'000'000;  // steps of a run, bytes of a line
inline constexpr int64_t most_examples = 1'000'000'000;   // sentences, tokens of a batch
inline constexpr int64_t most_columns = 100'000;          // columns of a table
inline constexpr double most_seed = 18'446'744'073'709'551'615.0;        // 64 bits
inline constexpr double most_signed_seed = 9'223'372'036'854'775'807.0;  // what TOML can write
inline constexpr double most_factor = 1e6;  // weights, rates, factors, deviations

}  // namespace heed
