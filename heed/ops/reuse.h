// For weights that many ops multiply before they change, such as the steps of a decoder.
#pragma once

#include <vector>

#include "heed/ops/weight_products.h"

namespace heed {

/// A weight's products, and the tensor that an op records as their weight.
struct Multiplied {
  Tensor weight;
  WeightProducts products;
};

/// As long as one lives, the ops on this thread that multiply a weight share its packed form and
/// gradient. The weight must not be written before backward has run these ops.
class Reuse {
 public:
  Reuse();
  ~Reuse();
  Reuse(const Reuse&) = delete;
  Reuse& operator=(const Reuse&) = delete;

  /// `is_recorded`: gradients will be needed.
  static Multiplied multiplied(const Tensor& weight, bool is_recorded);

 private:
  struct Met {
    View weight;
    bool is_recorded;
    bool is_watched;
    Multiplied multiplied;
  };
  Multiplied shared(const Tensor& weight, bool is_recorded);

  std::vector<Met> met_;
  Reuse* outer_;
};

}  // namespace heed
