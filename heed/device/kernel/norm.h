// Layer norm and RMS norm of rows and their gradient. Views are f32, rows are dense; a view without
// data is absent.
#pragma once

#include "heed/device/kernel_key.h"
#include "heed/device/view.h"

namespace heed {

/// Brings rows to mean 0 and mean square 1 or, if `mean` is absent, only to mean square 1 (μ = 0):
///   μ = (1/D) Σ_j x_j;  r = 1 / √((1/D) Σ_j (x_j − μ)² + ε);  y = (x − μ) r ⊙ w + b
struct RowNorm {
  static constexpr const char* name = "norm";
  View y;       // [N, D], written; may be x
  View mean;    // [N, 1] μ, written, or none
  View scale;   // [N, 1] r, written
  View x;       // [N, D]
  View weight;  // [D] w or none
  View bias;    // [D] b or none
  double epsilon = 1e-5;
};

/// Its gradient, with x̂ = (x − μ) r and u = dy ⊙ w:
///   dx = r (u − (1/D) Σ u − x̂ (1/D) Σ u ⊙ x̂), without the first sum where μ = 0;
///   dw = Σ_rows dy ⊙ x̂;  db = Σ_rows dy
struct RowNormGradient {
  static constexpr const char* name = "norm_gradient";
  View dx;       // [N, D], written, or none; may be dy
  View dweight;  // [D], written, or none
  View dbias;    // [D], written, or none
  View dy;       // [N, D]
  View x;        // [N, D]
  View mean;     // [N, 1] or none, as RowNorm wrote it
  View scale;    // [N, 1]
  View weight;   // [D] or none
};

/// A branch of a residual network is added, and the sum is normalised:
///   s = x + dropout(b);  y = norm(s)
struct ResidualNorm {
  static constexpr const char* name = "residual_norm";
  View x;           // [N, D]
  View branch;      // [N, D] b
  double rate = 0;  // of the dropout (device/kernel/dropout.h); 0: none
  KernelKey key;
  RowNorm norm;  // its x is s, which is written, too
};

/// Its gradient, with ds = dsum + the norm's:  dx = ds;  db = dropout(ds)
struct ResidualNormGradient {
  static constexpr const char* name = "residual_norm_gradient";
  View dsum;        // [N, D], what reaches s in other ways, or none
  View dbranch;     // [N, D], written, or none
  double rate = 0;  // as before
  KernelKey key;
  RowNormGradient norm;  // its dx becomes ds
};

}  // namespace heed
