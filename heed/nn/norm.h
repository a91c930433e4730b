// Normalises each row x [D] to a fixed size and scales it by learned weights.
#pragma once

#include "heed/nn/init.h"
#include "heed/nn/module.h"
#include "heed/ops/residual_norm.h"

namespace heed {

class Norm : public Module {
 public:
  virtual void build(int64_t width, Init& init) = 0;
  /// x […, D] → […, D], row by row.
  virtual Tensor operator()(const Tensor& x) const = 0;
  /// x + dropout(branch), and the norm of that.
  virtual ResidualNormed after_residual(const Tensor& x, const Tensor& branch,
                                        const BranchDropout& dropout) const = 0;
};

}  // namespace heed
