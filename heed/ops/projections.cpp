#include "heed/ops/projections.h"

#include <algorithm>

#include "heed/ops/matmul.h"
#include "heed/ops/packed.h"
#include "heed/ops/rows.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

bool may_join(const Tensor& x, std::span<const Projection> by) {
  return by.size() > 1 && x.numel() > 0 && !recording({x}) &&
         x.backend().offers<PackedProducts>() &&
         std::all_of(by.begin(), by.end(), [&x](const Projection& one) {
           return one.weight.serves() && one.weight.place() == x.place() &&
                  has_packed_products(one.weight.place()) && !recording({one.bias}) &&
                  one.weight.size(1) == x.size(-1);
         });
}

}  // namespace

std::vector<Tensor> projections(const Tensor& x, std::span<const Projection> by,
                                Products* products) {
  std::vector<Tensor> all;
  if (!may_join(x, by)) {
    for (const Projection& one : by) {
      all.push_back(linear(x, one.weight, one.bias, {.products = products}));
    }
    return all;
  }
  const Tensor rows = as_rows(x, "projections");
  std::vector<Tensor> biases;
  std::vector<PackedProduct> calls;
  for (const Projection& one : by) {
    biases.push_back(one.bias.defined() ? one.bias.dense() : Tensor());
    all.push_back(Tensor::empty(x.shape().with(-1, one.weight.size(0)), x.place()));
    calls.push_back({.out = as_rows(all.back(), "projections").view(),
                     .x = rows.view(),
                     .packed = one.weight.served_form().view(),
                     .bias = biases.back().defined() ? biases.back().view() : View{}});
  }
  x.backend().run_fused(PackedProducts{calls});
  return all;
}

}  // namespace heed
