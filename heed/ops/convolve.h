// Convolution over the cells of grids (cross-correlation, as PyTorch's and TensorFlow's), with
// channels last. With (i, j) counting windows and (u, v) the cells of a window,
//
//   y[b, i, j, o] = f(bias[o] + Σ_u Σ_v Σ_c weight[o, (u, v, c)] x[b, i s + u d − top, j s + v d − left, c])
//
// for a stride s and a dilation d. Over time a grid is one row of cells, H = 1.
//
// As a product of matrices, with U[(b, i, j), (u, v, c)] the inputs that each window sees:
// Z = U weightᵀ + bias, dweight = dZᵀ U, dU = dZ weight, and each dU is added to dx where it was read
// from x. U is made for some pictures at a time, so that memory stays bounded.
//
// With groups the channels are cut into as many parts, and outputs of part g see inputs of part g.
// A depthwise convolution is one in which every channel is a part by itself (Sifre 2014),
//
//   y[b, i, j, c] = f(bias[c] + Σ_u Σ_v weight[(u, v), c] x[b, i s + u d − top, j s + v d − left, c]),
//
// which is computed as a sum over (u, v) of shifted products.
#pragma once

#include "heed/ops/padding.h"
#include "heed/ops/weight.h"

namespace heed {

class Products;

struct ConvolveOptions {
  GridWindows windows;
  int64_t groups = 1;
  AfterProduct after = AfterProduct::nothing;  // f
  Products* products = nullptr;                // what this product shares with others
};

/// x [B, H, W, C], weight [O, height · width · C / groups] (its master may have several axes for the
/// second), bias [O] or undefined → [B, H', W', O].
/// A weight that serves with groups needs its master (Weight::Use::looked_up_too).
Tensor convolve(const Tensor& x, const Weight& weight, const Tensor& bias,
                const ConvolveOptions& options);

/// x [B, H, W, C], weight [height · width, C], bias [C] or undefined → [B, H', W', C].
Tensor convolve_depthwise(const Tensor& x, const Tensor& weight, const Tensor& bias,
                          const GridWindows& windows, AfterProduct after = AfterProduct::nothing);

}  // namespace heed
