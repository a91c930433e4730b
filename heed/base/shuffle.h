// A deterministic permutation of 0 .. n - 1 by (seed, epoch): Fisher-Yates over Philox.
//
//   for i = n - 1 .. 1: swap(order[i], order[j]), j uniform in [0, i]
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heed {

std::vector<std::size_t> shuffled_order(std::size_t count, std::uint64_t seed, std::uint64_t epoch);

}  // namespace heed
