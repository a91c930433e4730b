// The product with bias and f, and the gradient of weight and bias, against the primitives.
#include <gtest/gtest.h>

#include "heed/device/kernel/product.h"
#include "heed/ops/mapped.h"
#include "heed/ops/matmul.h"
#include "tests/support/backends.h"
#include "tests/support/tolerance.h"

namespace heed::test::product_slot_test {
namespace {

Place cpu() { return {&forced("cpu"), DType::f32}; }

Tensor drawn(const Shape& shape, uint64_t number) {
  return Tensor::random(shape, Distribution::normal, {4, 0, number}, cpu());
}

struct Sizes {
  int64_t m, n, k;
};

/// Few rows in their three ways, tiles with and without rests, sums over k in several blocks, and so few
/// columns that the product is computed the other way round.
constexpr Sizes sizes[] = {{1, 40, 33},    {3, 40, 200}, {20, 64, 8}, {40, 50, 30}, {130, 100, 520},
                           {300, 35, 700}, {100, 5, 60}, {9, 8, 16},  {2, 3, 4},    {64, 1, 17}};

TEST(PlainProduct, IsTheProductWithItsBiasAndF) {
  Backend& backend = *cpu().backend;
  for (const Sizes& size : sizes) {
    const Tensor x = drawn({size.m, size.k}, 1);
    const Tensor weight = drawn({size.n, size.k}, 2);
    const Tensor bias = drawn({size.n}, 3);
    for (const bool has_bias : {false, true}) {
      const Tensor sums = Tensor::zeros({size.m, size.n}, cpu());
      if (has_bias) {
        backend.copy(sums.view(), broadcast_to(bias.view(), sums.shape()));
      }
      backend.matmul(sums.view(), x.view(), transposed(weight.view()), 1, 1);
      for (const AfterProduct f :
           {AfterProduct::nothing, AfterProduct::relu, AfterProduct::gelu, AfterProduct::silu,
            AfterProduct::tanh, AfterProduct::sigmoid, AfterProduct::relu6}) {
        const Tensor out = Tensor::full({size.m, size.n}, NAN, cpu());
        ASSERT_TRUE(backend.run_fused(PlainProduct{.out = out.view(),
                                                   .x = x.view(),
                                                   .weight = weight.view(),
                                                   .bias = has_bias ? bias.view() : View{},
                                                   .after = f}));
        EXPECT_TRUE(close(out, applied(f, sums), 16))
            << size.m << " × " << size.n << " × " << size.k << ", f " << static_cast<int>(f);
        if (f == AfterProduct::nothing && has_bias) {
          EXPECT_EQ(out.values<float>(), sums.values<float>()) << "the same sums in the same order";
        }
      }
    }
  }
}

TEST(PlainProduct, TakesOperandsWithAnyStrides) {
  Backend& backend = *cpu().backend;
  const Tensor x = drawn({70, 90}, 1);
  const Tensor weight = drawn({70, 110}, 2);
  const Tensor bias = drawn({110}, 3);
  const Tensor wide = Tensor::zeros({90, 150}, cpu());
  const View out = sliced(wide.view(), 1, 20, 110);
  ASSERT_TRUE(backend.run_fused(PlainProduct{.out = out,
                                             .x = transposed(x.view()),
                                             .weight = transposed(weight.view()),
                                             .bias = bias.view()}));
  const Tensor expected = Tensor::empty({90, 110}, cpu());
  backend.copy(expected.view(), broadcast_to(bias.view(), expected.shape()));
  backend.matmul(expected.view(), transposed(x.view()), weight.view(), 1, 1);
  EXPECT_TRUE(close(wide.seen_as(out).clone(), expected, 16));
}

TEST(ProductGradient, IsTheProductAndTheSumOfTheRows) {
  Backend& backend = *cpu().backend;
  for (const Sizes& size : sizes) {
    const Tensor dy = drawn({size.m, size.n}, 1);
    const Tensor x = drawn({size.m, size.k}, 2);
    for (const bool adds : {false, true}) {
      const Tensor dweight =
          adds ? drawn({size.n, size.k}, 3) : Tensor::full({size.n, size.k}, NAN, cpu());
      const Tensor dbias = adds ? drawn({size.n}, 4) : Tensor::full({size.n}, NAN, cpu());
      const Tensor product = adds ? dweight.clone() : Tensor::zeros({size.n, size.k}, cpu());
      backend.matmul(product.view(), transposed(dy.view()), x.view(), 1, 1);
      const Tensor sum = Tensor::empty({1, size.n}, cpu());
      backend.reduce(Reduction::sum, sum.view(), dy.view());
      Tensor total = sum.seen_as(*reshaped(sum.view(), {size.n}));
      if (adds) {
        total = mapped(function<fn::Add>, {total, dbias});
      }
      ASSERT_TRUE(backend.run_fused(ProductGradient{.dweight = dweight.view(),
                                                    .dbias = dbias.view(),
                                                    .dy = dy.view(),
                                                    .x = x.view(),
                                                    .adds_to_weight = adds,
                                                    .adds_to_bias = adds}));
      EXPECT_TRUE(close(dweight, product, 16)) << size.m << " × " << size.n << " × " << size.k;
      EXPECT_TRUE(close(dbias, total, 16)) << size.m << " × " << size.n << " × " << size.k;
    }
  }
}

}  // namespace
}  // namespace heed::test::product_slot_test
