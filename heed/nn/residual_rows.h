// The rows of a residual network, x ← x + dropout(branch) again and again. A branch waits until the rows are
// read: where a norm reads them, both are done in one pass.
#pragma once

#include "heed/nn/norm.h"
#include "heed/nn/pass.h"

namespace heed {

class ResidualRows {
 public:
  explicit ResidualRows(Tensor rows) : rows_(std::move(rows)) {}

  /// The dropout's key is drawn now.
  void add(const Tensor& branch, double rate, Pass& pass);
  Tensor rows();
  Tensor normed(const Norm& norm);

 private:
  Tensor rows_;
  Tensor branch_;  // not yet added; undefined: there is none
  BranchDropout dropout_;
};

}  // namespace heed
