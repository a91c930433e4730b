// Shared by layer_norm and rms_norm. Private to this layer; nothing here is recorded.
#pragma once

#include "heed/device/kernel/norm.h"
#include "heed/tensor/tape.h"
#include "heed/tensor/tensor.h"

namespace heed {

/// (1/D) Σ x of each row of x [N, D], [N, 1].
Tensor row_mean(const Tensor& x);

/// 1 / √((1/D) Σ x² + ε) of each row of x [N, D], [N, 1].
Tensor reciprocal_root_mean_square(const Tensor& x, double epsilon);

/// Fails unless `vector` is undefined or [D], D the last axis of x, at x's place.
void require_row_vector(const Tensor& vector, const Tensor& x, const char* who);

/// Rows [N, D] and what their gradient needs; mean is undefined for RMS norm.
struct NormalisedRows {
  Tensor x;
  Tensor mean;   // [N, 1]
  Tensor scale;  // [N, 1]
  Tensor weight;
};

/// What a norm's kernel is called with, and the tensors that it writes: y, rows.mean (if `is_centred`) and
/// rows.scale.
struct NormCall {
  Tensor y;
  Tensor weight;
  Tensor bias;
  RowNorm call;
};
NormCall norm_call(NormalisedRows& rows, const Tensor& bias, double epsilon, bool is_centred);

/// The same for the gradient. An undefined result is not wanted.
struct NormGradientCall {
  Tensor dx;
  Tensor dweight;
  Tensor dbias;
  Tensor dy;
  Tensor weight;
  RowNormGradient call;
};
struct NormWants {
  bool dx;
  bool dweight;
  bool dbias;
};
NormGradientCall norm_gradient_call(const NormalisedRows& rows, const Tensor& dy,
                                    const NormWants& wants);

/// y by the backend's kernel; undefined where there is none.
Tensor fused_norm(NormalisedRows& rows, const Tensor& bias, double epsilon, bool is_centred);

/// Adds its gradients to inputs 0 (x, of this shape), 1 (weight) and, if centred, 2 (bias); false
/// where there is no kernel.
bool fused_norm_gradient(const NormalisedRows& rows, const Shape& shape, Gradients& g);

}  // namespace heed
