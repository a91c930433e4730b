// The product of every head with its weight, against the same by broadcast.
#include "heed/attention/head_product.h"

#include <gtest/gtest.h>

#include "heed/ops/matmul.h"
#include "heed/tensor/gradcheck.h"
#include "tests/support/backends.h"
#include "tests/support/tolerance.h"

namespace heed::test::head_product_test {
namespace {

Tensor normal(const Shape& shape, uint64_t number) {
  return Tensor::random(shape, Distribution::normal, {1, 0, number},
                        {&forced("reference"), DType::f64});
}

struct Shapes {
  Shape x, weight;
};
const Shapes all_shapes[] = {{{3, 1, 1, 2, 5}, {1, 1, 5, 4}},
                             {{2, 2, 3, 2, 5}, {2, 3, 5, 4}},
                             {{3, 1, 4, 5}, {1, 5, 2}},
                             {{3, 2, 4, 5}, {2, 5, 2}},
                             {{1, 2, 1, 1, 3}, {2, 1, 3, 3}}};

TEST(HeadProduct, IsTheProductOfEveryHead) {
  for (const auto& [shape, weights] : all_shapes) {
    const Tensor x = normal(shape, 1);
    const Tensor weight = normal(weights, 2);
    EXPECT_TRUE(close(head_product(x, weight), matmul(x, weight), 8));
  }
}

TEST(HeadProduct, HasItsGradient) {
  for (const auto& [shape, weights] : all_shapes) {
    const std::function<Tensor(std::span<const Tensor>)> f = [](std::span<const Tensor> in) {
      return head_product(in[0], in[1]);
    };
    const GradcheckResult result = gradcheck(f, {normal(shape, 1), normal(weights, 2)});
    EXPECT_TRUE(result) << result.failure;
  }
}

}  // namespace
}  // namespace heed::test::head_product_test
