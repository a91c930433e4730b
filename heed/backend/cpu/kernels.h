// The fused kernels of the CPU backend: the one list that fills its slots.
#pragma once

#include "heed/device/kernels.h"

namespace heed::cpu {

void softmax(const View& y, const View& x);
void softmax_gradient(const View& dx, const View& dy, const View& y);
void lstm(const LstmStep& step);
void lstm_gradient(const LstmGradient& gradient);
void gru(const GruStep& step);
void gru_gradient(const GruGradient& gradient);
void adam(const AdamStep& step);
void cross_entropy(const CrossEntropy& rows);
void cross_entropy_gradient(const CrossEntropyGradient& rows);
void pack(const PackStep& step);
void multiply_packed(const PackedProduct& product);
void attend(const AttendStep& step);
void attend_gradient(const AttendGradient& gradient);
void norm(const RowNorm& rows);
void norm_gradient(const RowNormGradient& rows);
void dropout(const DropoutStep& step);

inline constexpr Kernels kernels{
    .softmax = softmax,
    .softmax_gradient = softmax_gradient,
    .lstm = lstm,
    .lstm_gradient = lstm_gradient,
    .gru = gru,
    .gru_gradient = gru_gradient,
    .adam = adam,
    .cross_entropy = cross_entropy,
    .cross_entropy_gradient = cross_entropy_gradient,
    .norm = norm,
    .norm_gradient = norm_gradient,
    .dropout = dropout,
    .pack = pack,
    .multiply_packed = multiply_packed,
    .attend = attend,
    .attend_gradient = attend_gradient,
};

}  // namespace heed::cpu
