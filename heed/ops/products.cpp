#include "heed/ops/products.h"

#include <algorithm>
#include <array>
#include <span>

#include "heed/ops/arithmetic.h"

namespace heed {
namespace {

bool is_same(const View& a, const View& b) {
  return a.data == b.data && a.shape == b.shape &&
         std::equal(a.strides.begin(), a.strides.begin() + a.rank(), b.strides.begin());
}

/// Ops record a node of the tape as their weight and bias. That node was made before theirs, so
/// backward runs it after them, and it adds the gradients that they gathered.
Multiplied recorded(const Tensor& master, const Tensor& bias, const WeightProducts& products) {
  const std::array inputs = {master, bias};
  std::array outputs = {master, bias};
  const size_t count = bias.defined() ? 2 : 1;
  record(std::span(outputs).first(count), inputs, [products, count](Gradients& g) {
    for (size_t i = 0; i < count; ++i) {
      if (g.arrived(i)) {
        g.add(i, g.take(i));
      }
    }
    products.add_gathered(g, {.weight = 0, .bias = 1});
  });
  return {outputs[0], outputs[1], products};
}

}  // namespace

Products::~Products() {
  for (const Met& met : met_) {
    met.multiplied.products.release_form();
  }
}

Multiplied Products::multiplied(const Weight& weight, const Tensor& bias, bool is_recorded) {
  if (weight.serves()) {
    return {{}, bias, WeightProducts(weight, is_recorded)};
  }
  const Tensor& master = weight.master();
  const View bias_view = bias.defined() ? bias.view() : View{};
  const bool is_watched = recording({master});
  for (const Met& met : met_) {
    if (is_same(met.weight, master.view()) && met.is_recorded == is_recorded &&
        met.is_watched == is_watched) {
      const Multiplied& known = met.multiplied;
      return is_same(met.bias, bias_view)
                 ? known
                 : Multiplied{known.weight, bias, known.products.without_gathering()};
    }
  }
  const auto share = std::make_shared<ProductShare>();
  share->gathers = is_watched;
  const WeightProducts products(weight, is_recorded, share);
  met_.push_back(
      {master.view(), bias_view, is_recorded, is_watched,
       is_watched ? recorded(master, bias, products) : Multiplied{master, bias, products}});
  return met_.back().multiplied;
}

Tensor Products::joined(const Tensor& a, const Tensor& b) {
  const bool is_recorded = recording({a, b});
  for (const Joined& known : joined_) {
    if (is_same(known.a.view(), a.view()) && is_same(known.b.view(), b.view()) &&
        known.is_recorded == is_recorded) {
      return known.sum;
    }
  }
  joined_.push_back({a, b, is_recorded, a + b});
  return joined_.back().sum;
}

Multiplied multiplied(const Weight& weight, const Tensor& bias, bool is_recorded,
                      Products* products) {
  if (products != nullptr) {
    return products->multiplied(weight, bias, is_recorded);
  }
  return {weight.serves() ? Tensor() : weight.master(), bias, WeightProducts(weight, is_recorded)};
}

}  // namespace heed
