// Windows that fade a frame in and out before its spectrum is taken, n = 0 … N − 1, and M = N − 1,
// or M = N in the periodic form, whose value N would be again value 0:
//
//   hann         ½ − ½ cos(2πn/M)
//   hamming      0.54 − 0.46 cos(2πn/M)
//   povey        (½ − ½ cos(2πn/M))^0.85                 Kaldi's
//   blackman     0.42 − ½ cos(2πn/M) + 0.08 cos(4πn/M)
//   rectangular  1
#pragma once

#include <cstdint>
#include <vector>

namespace heed {

enum class WindowKind { hann, hamming, povey, blackman, rectangular };

std::vector<float> window_of(WindowKind kind, int64_t length, bool is_periodic);

}  // namespace heed
