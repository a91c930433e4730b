// The fused kernels of the CPU backend: the one list that fills its slots.
#pragma once

#include "heed/device/kernels.h"

namespace heed::cpu {

void softmax(const View& y, const View& x);
void softmax_slope(const View& dx, const View& dy, const View& y);

inline constexpr Kernels kernels{
    .softmax = softmax,
    .softmax_slope = softmax_slope,
};

}  // namespace heed::cpu
