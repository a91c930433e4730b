// For weights that many ops multiply before they change, such as the steps of a decoder. Ops with
// the same Products share work on a weight: it is packed once, and the rows of their gradients are
// gathered until they make a tall product.
#pragma once

#include <vector>

#include "heed/ops/weight_products.h"

namespace heed {

/// A weight's products, and the tensor that an op records as their weight.
struct Multiplied {
  Tensor weight;
  WeightProducts products;
};

/// The weights must not be written as long as it lives, nor before backward has run its ops.
class Products {
 public:
  Products() = default;
  ~Products();
  Products(const Products&) = delete;
  Products& operator=(const Products&) = delete;

  /// `is_recorded`: gradients will be needed.
  Multiplied multiplied(const Weight& weight, bool is_recorded);

 private:
  struct Met {
    View weight;
    bool is_recorded;
    bool is_watched;
    Multiplied multiplied;
  };

  std::vector<Met> met_;
};

/// The same for an op that shares with others or, if `products` is null, with none.
Multiplied multiplied(const Weight& weight, bool is_recorded, Products* products);

}  // namespace heed
