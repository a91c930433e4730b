// Attention by the backend's fused kernel: what `compose` in attend.cpp defines, without an array
// of rows × slots, forward and backward.
#pragma once

#include <optional>

#include "heed/attention/focus.h"
#include "heed/attention/lowered.h"

namespace heed {

struct FusedLook {
  const LoweredScore& score;
  const LoweredNormaliser& normaliser;
  const Where& where;
  const Tensor& values;   // [M, G, S, d]
  AttendDropout dropout;  // of weights
  Precision precision = Precision::f32;
  bool wants_weights = false;
  bool wants_argmax = false;
  bool wants_entropy = false;
};

struct FusedAttended {
  Tensor contexts;  // [M, G, P, R, d]
  Tensor weights;   // [M, G, P, R, S], with gradients; where asked
  Tensor argmax;    // i32 [M, G, P, R], where asked
  Tensor entropy;   // [M, G, P, R], where asked; without gradients
};

/// True where the kernel of the tensors' backend can do this and is the faster way.
bool has_kernel_for(const LoweredNormaliser& normaliser, const Tensor& query);

FusedAttended attend_fused(const FusedLook& look);

}  // namespace heed
