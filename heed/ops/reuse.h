// Weights that many ops multiply before they change, as the steps of a decoder do.
#pragma once

#include <vector>

#include "heed/ops/weight_products.h"

namespace heed {

/// A weight's products, and the tensor that an op records as their weight.
struct Multiplied {
  Tensor weight;
  WeightProducts products;
};

/// While one lives, the ops on this thread that multiply a weight share what they make of it. The
/// weight's memory must not be written until backward has passed them.
class Reuse {
 public:
  Reuse();
  ~Reuse();
  Reuse(const Reuse&) = delete;
  Reuse& operator=(const Reuse&) = delete;

  /// `is_recorded`: gradients will be asked for.
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
