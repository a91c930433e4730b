// For weights that many ops multiply before they change, such as the steps of a decoder. Ops with
// the same Products share work on a weight: it is packed once, and the rows of their gradients are
// gathered until they make a tall product, which also sums the gradient of their bias.
#pragma once

#include <vector>

#include "heed/ops/weight_products.h"

namespace heed {

/// A weight's products, and the tensors that an op records as their weight and bias.
struct Multiplied {
  Tensor weight;
  Tensor bias;
  WeightProducts products;
};

/// The weights must not be written as long as it lives, nor before backward has run its ops.
class Products {
 public:
  Products() = default;
  ~Products();
  Products(const Products&) = delete;
  Products& operator=(const Products&) = delete;

  /// `is_recorded`: gradients will be needed. The bias may be undefined. One that is another tensor at
  /// every step works, but its gradient and the weight's are then not gathered.
  Multiplied multiplied(const Weight& weight, const Tensor& bias, bool is_recorded);
  /// a + b of two biases, which is one tensor for all ops.
  Tensor joined(const Tensor& a, const Tensor& b);

 private:
  struct Met {
    View weight;
    View bias;  // without data: none
    bool is_recorded;
    bool is_watched;
    Multiplied multiplied;
  };

  struct Joined {
    Tensor a;
    Tensor b;
    bool is_recorded;
    Tensor sum;
  };

  std::vector<Met> met_;
  std::vector<Joined> joined_;
};

/// The same for an op that shares with others or, if `products` is null, with none.
Multiplied multiplied(const Weight& weight, const Tensor& bias, bool is_recorded,
                      Products* products);

}  // namespace heed
