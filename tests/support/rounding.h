// How far a computation in bf16 may be from the same in f32.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/recording_backend.h"

namespace heed::test {

/// How many of these calls write bf16, and so round: the first view of a call is what it writes.
inline int64_t roundings_of(const Recording& recording) {
  return std::count_if(recording.calls.begin(), recording.calls.end(), [](const std::string& call) {
    const size_t written = call.find('#');
    const size_t type = written == std::string::npos ? written : call.find(' ', written);
    return type != std::string::npos && call.compare(type, 5, " bf16") == 0;
  });
}

/// How far n roundings move a result, as a share of its norm. Each moves an element by at most
/// u = 2⁻⁹ of itself, up or down, and does not know of the others, so n of them add as √n u, where
/// no later call makes a relative error larger than it found it.
inline double rounding_bound(int64_t roundings) {
  return std::sqrt(static_cast<double>(roundings)) * 0x1p-9;
}

/// ‖a − b‖ / ‖b‖
inline double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double off = 0;
  double size = 0;
  EXPECT_EQ(a.size(), b.size());
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    off += (a[i] - b[i]) * (a[i] - b[i]);
    size += b[i] * b[i];
  }
  return off == 0 ? 0 : std::sqrt(off / size);
}

}  // namespace heed::test
