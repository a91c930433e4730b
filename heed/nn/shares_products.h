// For the steps of a decoder, which multiply the same weights again and again.
#pragma once

#include "heed/nn/pass.h"
#include "heed/ops/products.h"

namespace heed {

/// As long as one lives, the products of a pass share packed weights and gathered gradients
/// (ops/products.h). The weights must not be written meanwhile.
class SharesProducts {
 public:
  explicit SharesProducts(Pass& pass) : pass_(pass), outer_(pass.exchange_products(&products_)) {}
  ~SharesProducts() { pass_.exchange_products(outer_); }
  SharesProducts(const SharesProducts&) = delete;
  SharesProducts& operator=(const SharesProducts&) = delete;

 private:
  Products products_;
  Pass& pass_;
  Products* outer_;
};

}  // namespace heed
