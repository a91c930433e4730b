// Attention with linear biases (Press 2021): head h adds −m_h |i − j| to its scores.
//
//   H a power of two:  m_h = 2^(−8 h / H), h = 1 … H
//   otherwise:         the slopes of the next lower power P, then every other slope of 2P
#pragma once

#include <cstdint>
#include <vector>

namespace heed {

std::vector<double> alibi_slopes(int64_t heads);

}  // namespace heed
