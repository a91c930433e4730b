// Cross-entropy of logits x [N, V] against one target t a row, with label smoothing ε (Szegedy et
// al. 2016, section 7):
//
//   loss = (1 − ε) (−ln p_t) + (ε / V) Σ_v −ln p_v,     p = softmax x
//        = ln s − (1 − ε) (x_t − m) − (ε / V) Σ_v (x_v − m),     s = Σ_v e^(x_v − m),  m = max x
//
//   dx_v = dloss (p_v − (1 − ε) [v = t] − ε / V)
//
// Besides the logits there is at most one tensor of size [N, V]: the exponentials that a kernel
// keeps and the gradient overwrites. Where nothing is kept, backward computes p again.
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

struct CrossEntropyOptions {
  double smoothing = 0;
};

/// Losses [N]. Targets are i32 [N]; a row with target −1 has loss 0 and no gradient.
Tensor cross_entropy(const Tensor& logits, const Tensor& targets,
                     const CrossEntropyOptions& options = {});

}  // namespace heed
