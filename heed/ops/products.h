// Weights that many ops multiply before they change, as the steps of a decoder do. Ops that are handed
// the same Products share what they make of a weight: it is packed once, and the rows of their
// gradients gather until they make a tall product.
#pragma once

#include <vector>

#include "heed/ops/weight_products.h"

namespace heed {

/// A weight's products, and the tensor that an op records as their weight.
struct Multiplied {
  Tensor weight;
  WeightProducts products;
};

/// The weights' memory must not be written while it lives, nor until backward has passed its ops.
class Products {
 public:
  Products() = default;
  ~Products();
  Products(const Products&) = delete;
  Products& operator=(const Products&) = delete;

  /// `is_recorded`: gradients will be asked for.
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

/// The same, of an op that shares with others or, without `products`, with none.
Multiplied multiplied(const Weight& weight, bool is_recorded, Products* products);

}  // namespace heed
