// A branch of a residual network is added to its rows, and the sum is normalised:
//
//   s = x + dropout(b)        y = norm(s)
//
// It equals the three ops one after the other (dropout, +, layer_norm or rms_norm); backends may do it in
// one pass over the rows, and back again.
#pragma once

#include "heed/tensor/draw_key.h"
#include "heed/tensor/tensor.h"

namespace heed {

/// Which norm: with a mean it is layer_norm, without rms_norm, which has no bias.
struct NormForm {
  Tensor weight;  // [D]
  Tensor bias;    // [D] or undefined
  double epsilon = 1e-5;
  bool is_centred = true;
};

/// How much of a branch is dropped, and by which key; nothing at rate 0.
struct BranchDropout {
  double rate = 0;
  DrawKey key = {};
};

struct ResidualNormed {
  Tensor sum;     // s
  Tensor normed;  // y
};

/// x, branch […, D]
ResidualNormed residual_norm(const Tensor& x, const Tensor& branch, const BranchDropout& dropout,
                             const NormForm& norm);

}  // namespace heed
