// Attention by the backend's fused kernel: the same result as `compose` in attend.cpp, without an
// array of rows × slots, forward and backward.
#pragma once

#include <optional>

#include "heed/attention/focus.h"
#include "heed/attention/lowered.h"
#include "heed/tensor/draw_key.h"

namespace heed {

/// Dropout of weights; a rate of 0 drops none.
struct WeightDropout {
  double rate = 0;
  DrawKey key;
};

/// One call of the backend's kernel.
struct FusedCall {
  LoweredScore score;
  LoweredNormaliser normaliser;
  Where where;
  Tensor values;  // [M, G, S, d]
  AttendPlan::Answer plan = {};
  WeightDropout dropout = {};
  Precision precision = Precision::f32;
  bool wants_weights = false;
  bool wants_argmax = false;
  bool wants_entropy = false;
};

struct FusedAttended {
  Tensor contexts;  // [M, G, P, R, d]
  Tensor weights;   // [M, G, P, R, S], with gradients, if asked for
  Tensor argmax;    // i32 [M, G, P, R], if asked for
  Tensor entropy;   // [M, G, P, R], without gradients, if asked for
};

/// What the backend's kernel computes from an additive score's prepared keys [M, G, S, A] once for
/// all steps: [M, G, S, …], which only that kernel reads. It has no gradient, and is undefined if
/// the kernel needs nothing.
Tensor prepare_kernel_keys(const Tensor& keys, Activation activation);

/// How the kernel of the tensors' backend wants to run this call; nothing if there is no kernel or
/// it declines, and then the operator is composed.
std::optional<AttendPlan::Answer> plan_fused(const LoweredScore& score,
                                             const LoweredNormaliser& normaliser,
                                             const Where& where, const Tensor& values);

FusedAttended attend_fused(FusedCall call);

}  // namespace heed
