#include "heed/nn/residual_rows.h"

#include "heed/ops/arithmetic.h"
#include "heed/ops/dropout.h"

namespace heed {

void ResidualRows::add(const Tensor& branch, double rate, Pass& pass) {
  rows_ = rows();
  branch_ = branch;
  dropout_ = {};
  if (pass.trains() && rate > 0) {
    dropout_ = {rate, pass.draw()};
  }
}

Tensor ResidualRows::rows() {
  if (branch_.defined()) {
    rows_ = rows_ + dropout(branch_, dropout_.rate, dropout_.key);
    branch_ = {};
  }
  return rows_;
}

Tensor ResidualRows::normed(const Norm& norm) {
  if (!branch_.defined()) {
    return norm(rows_);
  }
  ResidualNormed both = norm.after_residual(rows_, branch_, dropout_);
  rows_ = std::move(both.sum);
  branch_ = {};
  return both.normed;
}

}  // namespace heed
