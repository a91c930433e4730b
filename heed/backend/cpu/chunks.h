// Cuts loops for the thread pool by shape only, so that results do not depend on the number of
// threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "heed/base/thread_pool.h"

namespace heed::cpu {

/// Work on about this many elements is worth another thread; less runs inline.
inline constexpr int64_t grain = 16384;

inline int64_t pieces_of(int64_t n, int64_t piece) { return (n + piece - 1) / piece; }

/// How many units make a chunk if each costs as much as `elements` elements.
inline int64_t units_per_chunk(int64_t elements) {
  return std::max<int64_t>(1, grain / std::max<int64_t>(1, elements));
}

/// Calls body(begin, end) on ranges of `step` that cover [0, n), on any thread.
template <class Body>
void each_range(int64_t n, int64_t step, const Body& body) {
  parallel_for(pieces_of(n, step),
               [&](int64_t chunk) { body(chunk * step, std::min(n, (chunk + 1) * step)); });
}

/// Calls body(which, begin, end) on ranges of `step` that cover [0, sizes[which]) of every list, all
/// of them in one loop.
template <class Body>
void each_range_of(std::span<const int64_t> sizes, int64_t step, const Body& body) {
  std::vector<int64_t> ends;  // of the chunks of each list
  int64_t chunks = 0;
  for (const int64_t size : sizes) {
    ends.push_back(chunks += pieces_of(size, step));
  }
  parallel_for(chunks, [&](int64_t chunk) {
    const auto end = std::upper_bound(ends.begin(), ends.end(), chunk);
    const auto which = end - ends.begin();
    const int64_t at = which == 0 ? chunk : chunk - ends[static_cast<size_t>(which) - 1];
    body(which, at * step, std::min(sizes[static_cast<size_t>(which)], (at + 1) * step));
  });
}

}  // namespace heed::cpu
