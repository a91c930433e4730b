// The fused kernels of the CPU backend: the one list that fills its slots.
#pragma once

#include "heed/device/kernels.h"

namespace heed::cpu {

void softmax(const View& y, const View& x);
void softmax_slope(const View& dx, const View& dy, const View& y);
void lstm(const LstmStep& step);
void lstm_slope(const LstmSlope& slope);
void gru(const GruStep& step);
void gru_slope(const GruSlope& slope);
void adam(const AdamStep& step);
void cross_entropy(const CrossEntropy& rows);
void cross_entropy_slope(const CrossEntropySlope& rows);
void pack(const PackStep& step);
void multiply_packed(const PackedProduct& product);
void attend(const AttendStep& step);
void attend_slope(const AttendSlope& slope);
void norm(const RowNorm& rows);
void norm_slope(const RowNormSlope& rows);
void dropout(const DropoutStep& step);

inline constexpr Kernels kernels{
    .softmax = softmax,
    .softmax_slope = softmax_slope,
    .lstm = lstm,
    .lstm_slope = lstm_slope,
    .gru = gru,
    .gru_slope = gru_slope,
    .adam = adam,
    .cross_entropy = cross_entropy,
    .cross_entropy_slope = cross_entropy_slope,
    .norm = norm,
    .norm_slope = norm_slope,
    .dropout = dropout,
    .pack = pack,
    .multiply_packed = multiply_packed,
    .attend = attend,
    .attend_slope = attend_slope,
};

}  // namespace heed::cpu
