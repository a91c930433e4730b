#include "heed/ops/reuse.h"

#include <algorithm>

namespace heed {
namespace {

thread_local Reuse* innermost = nullptr;

bool is_same(const View& a, const View& b) {
  return a.data == b.data && a.shape == b.shape &&
         std::equal(a.strides.begin(), a.strides.begin() + a.rank(), b.strides.begin());
}

}  // namespace

Reuse::Reuse() : outer_(innermost) { innermost = this; }

Reuse::~Reuse() {
  innermost = outer_;
  for (const Met& met : met_) {
    met.multiplied.products.release_form();
  }
}

Multiplied Reuse::multiplied(const Tensor& weight, bool is_recorded) {
  return innermost != nullptr ? innermost->shared(weight, is_recorded)
                              : Multiplied{weight, WeightProducts(weight, is_recorded)};
}

// The ops record a node of the tape as their weight. That node was made before theirs, so backward
// runs it after them, and it adds the gradient that they gathered to the weight's.
Multiplied Reuse::shared(const Tensor& weight, bool is_recorded) {
  const bool is_watched = recording({weight});
  for (const Met& met : met_) {
    if (is_same(met.weight, weight.view()) && met.is_recorded == is_recorded &&
        met.is_watched == is_watched) {
      return met.multiplied;
    }
  }
  WeightProducts products(weight, is_recorded);
  products.expect_several(is_watched ? WeightProducts::Timing::gathered
                                     : WeightProducts::Timing::at_once);
  const Tensor recorded = record(weight, {weight}, [products](Gradients& g) {
    if (g.arrived()) {
      g.add(0, g.take());
    }
    products.add_gathered(g, 0);
  });
  met_.push_back({weight.view(), is_recorded, is_watched, {recorded, products}});
  return met_.back().multiplied;
}

}  // namespace heed
