#include "heed/ops/products.h"

#include <algorithm>

namespace heed {
namespace {

bool is_same(const View& a, const View& b) {
  return a.data == b.data && a.shape == b.shape &&
         std::equal(a.strides.begin(), a.strides.begin() + a.rank(), b.strides.begin());
}

}  // namespace

Products::~Products() {
  for (const Met& met : met_) {
    met.multiplied.products.release_form();
  }
}

// Ops record a node of the tape as their weight. That node was made before theirs, so backward runs
// it after them, and it adds the gradient that they gathered to the weight's.
Multiplied Products::multiplied(const Weight& weight, bool is_recorded) {
  if (weight.serves()) {
    return {{}, WeightProducts(weight, is_recorded)};
  }
  const Tensor& master = weight.master();
  const bool is_watched = recording({master});
  for (const Met& met : met_) {
    if (is_same(met.weight, master.view()) && met.is_recorded == is_recorded &&
        met.is_watched == is_watched) {
      return met.multiplied;
    }
  }
  const auto share = std::make_shared<ProductShare>();
  share->gathers = is_watched;
  const WeightProducts products(weight, is_recorded, share);
  const Tensor recorded = record(master, {master}, [products](Gradients& g) {
    if (g.arrived()) {
      g.add(0, g.take());
    }
    products.add_gathered(g, 0);
  });
  met_.push_back({master.view(), is_recorded, is_watched, {recorded, products}});
  return met_.back().multiplied;
}

Multiplied multiplied(const Weight& weight, bool is_recorded, Products* products) {
  if (products != nullptr) {
    return products->multiplied(weight, is_recorded);
  }
  return {weight.serves() ? Tensor() : weight.master(), WeightProducts(weight, is_recorded)};
}

}  // namespace heed
