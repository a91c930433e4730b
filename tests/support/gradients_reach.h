// Every parameter of a module gets a gradient that is finite and not all zero.
//
//   EXPECT_TRUE(gradients_reach(layer, [&] { return layer(x); }));
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "heed/nn/module.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/reduce.h"

namespace heed::test {

/// Σ r · output over all outputs, r normal: unlike a plain sum it does not vanish behind a softmax
/// or a norm.
inline Tensor weighted_sum(const std::vector<Tensor>& outputs, uint64_t seed = 11) {
  Tensor total;
  for (size_t k = 0; k < outputs.size(); ++k) {
    const Tensor& y = outputs[k];
    const Tensor r = Tensor::random(y.shape(), Distribution::normal, {seed, 0, k}, y.place());
    const Tensor part = sum(y * r);
    total = total.defined() ? total + part : part;
  }
  return total;
}

inline ::testing::AssertionResult gradients_reach(
    Module& module, const std::function<std::vector<Tensor>()>& outputs) {
  const std::vector<NamedParameter> parameters = distinct_parameters_of(module);
  for (const NamedParameter& parameter : parameters) {
    parameter.tensor->clear_gradient();
  }
  weighted_sum(outputs()).backward();
  for (const NamedParameter& parameter : parameters) {
    const Tensor gradient = parameter.tensor->gradient();
    if (!gradient.defined()) {
      return ::testing::AssertionFailure() << parameter.name << " gets no gradient";
    }
    double largest = 0;
    for (const double value : gradient.values()) {
      if (!std::isfinite(value)) {
        return ::testing::AssertionFailure() << parameter.name << " gets a gradient of " << value;
      }
      largest = std::max(largest, std::abs(value));
    }
    if (largest == 0) {
      return ::testing::AssertionFailure() << parameter.name << " gets a gradient of zeros";
    }
  }
  return ::testing::AssertionSuccess() << "all " << parameters.size() << " get one";
}

inline ::testing::AssertionResult gradients_reach(Module& module,
                                                  const std::function<Tensor()>& output) {
  return gradients_reach(module, [&] { return std::vector<Tensor>{output()}; });
}

}  // namespace heed::test
