// The fused kernels of the CPU backend, and the list that fills its slots.
#pragma once

#include "heed/device/kernels.h"

namespace heed::cpu {

void softmax(const SoftmaxRows& rows);
void softmax_gradient(const SoftmaxGradient& rows);
void lstm(const LstmStep& step);
void lstm_gradient(const LstmGradient& gradient);
void gru(const GruStep& step);
void gru_gradient(const GruGradient& gradient);
void recurrent(const RecurrentSteps& call);
void recurrent_gradient(const RecurrentStepsGradient& call);
bool copy_all(Backend& backend, const Copies& call);
bool write_each_slots(Backend& backend, const WriteEachSlots& call);
void adam(const AdamStep& step);
void moving_average(const MovingAverage& call);
void square_sums(const SquareSums& call);
bool cross_entropy(Backend& backend, const CrossEntropy& rows);
bool cross_entropy_gradient(Backend& backend, const CrossEntropyGradient& rows);
void pack(const PackStep& step);
void convolve(const ConvolveStep& step);
bool convolve_depthwise(Backend& backend, const DepthwiseStep& step);
void multiply_packed(const PackedProduct& product);
void multiply_each_packed(const PackedProducts& call);
void multiply_plain(const PlainProduct& product);
void product_gradient(const ProductGradient& call);
bool plan_attend(Backend& backend, const AttendPlan& plan);
bool prepare_keys(Backend& backend, const PrepareKeys& call);
void attend(const AttendStep& step);
void attend_gradient(const AttendGradient& gradient);
void norm(const RowNorm& rows);
void norm_gradient(const RowNormGradient& rows);
void residual_norm(const ResidualNorm& call);
void residual_norm_gradient(const ResidualNormGradient& call);
void dropout(const DropoutStep& step);
bool choose_words(Backend& backend, const ChooseWords& call);

/// A kernel that takes every call and does not use its backend, because host memory and the thread
/// pool are the same for all.
template <class Call, void (*run)(const Call&)>
bool takes_all(Backend& /*backend*/, const Call& call) {
  run(call);
  return true;
}

inline constexpr Kernels kernels = Kernels{}
                                       .set(takes_all<SoftmaxRows, softmax>)
                                       .set(takes_all<SoftmaxGradient, softmax_gradient>)
                                       .set(takes_all<LstmStep, lstm>)
                                       .set(takes_all<LstmGradient, lstm_gradient>)
                                       .set(takes_all<GruStep, gru>)
                                       .set(takes_all<GruGradient, gru_gradient>)
                                       .set(takes_all<RecurrentSteps, recurrent>)
                                       .set(takes_all<RecurrentStepsGradient, recurrent_gradient>)
                                       .set(copy_all)
                                       .set(write_each_slots)
                                       .set(takes_all<AdamStep, adam>)
                                       .set(takes_all<MovingAverage, moving_average>)
                                       .set(takes_all<SquareSums, square_sums>)
                                       .set(cross_entropy)
                                       .set(cross_entropy_gradient)
                                       .set(takes_all<RowNorm, norm>)
                                       .set(takes_all<RowNormGradient, norm_gradient>)
                                       .set(takes_all<ResidualNorm, residual_norm>)
                                       .set(takes_all<ResidualNormGradient, residual_norm_gradient>)
                                       .set(takes_all<DropoutStep, dropout>)
                                       .set(takes_all<PackStep, pack>)
                                       .set(takes_all<PackedProduct, multiply_packed>)
                                       .set(takes_all<PackedProducts, multiply_each_packed>)
                                       .set(takes_all<PlainProduct, multiply_plain>)
                                       .set(takes_all<ProductGradient, product_gradient>)
                                       .set(takes_all<ConvolveStep, convolve>)
                                       .set(convolve_depthwise)
                                       .set(choose_words)
                                       .set(plan_attend)
                                       .set(prepare_keys)
                                       .set(takes_all<AttendStep, attend>)
                                       .set(takes_all<AttendGradient, attend_gradient>);

}  // namespace heed::cpu
