// Ops that share a weight compute what each would alone, and so do their gradients.
#include "heed/ops/products.h"

#include <gtest/gtest.h>

#include <optional>

#include "heed/ops/arithmetic.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/matmul.h"
#include "heed/ops/permute.h"
#include "heed/ops/recurrent.h"
#include "heed/ops/reduce.h"
#include "heed/ops/reshape.h"
#include "tests/support/backends.h"
#include "tests/support/recording_backend.h"
#include "tests/support/tolerance.h"

namespace heed::test::products_test {
namespace {

constexpr int64_t width = 7;

/// h, c ← lstm(W tanh(Uᵀ h) + b, h, c) for some steps, as a decoder goes; the result is Σ h.
struct Chain {
  Tensor w;
  Precision precision = Precision::f32;  // of w
  Tensor b;
  Tensor u;
  Tensor recurrent;
  Tensor first;

  Chain(int64_t rows, const Place& place) {
    const auto make = [&](const Shape& shape, uint64_t which) {
      return affine(Tensor::random(shape, Distribution::normal, {1, 2, which}, place), 0.3, 0);
    };
    w = make({4 * width, width}, 1);
    b = make({4 * width}, 2);
    u = make({width, width}, 3);
    recurrent = make({4 * width, width}, 4);
    first = make({rows, width}, 5);
  }
  std::vector<Tensor*> parts() { return {&w, &b, &u, &recurrent, &first}; }
  void watch() {
    for (Tensor* part : parts()) {
      part->watch();
    }
  }
  Tensor run(int64_t steps, Products* products = nullptr) const {
    Weight by_w(w);
    by_w.set_precision(precision);
    Tensor total = Tensor::zeros(first.shape(), first.place());
    RecurrentInput in;
    in.weight = recurrent;
    in.products = products;
    in.hidden = first;
    for (int64_t step = 0; step < steps; ++step) {
      const Tensor inner = tanh(linear(in.hidden, transpose(u), {}, {.products = products}));
      in.projected = unsqueeze(linear(inner, by_w, b, {.products = products}), 1);
      const RecurrentOutput out = lstm(in);
      in.hidden = out.hidden;
      in.cell = out.cell;
      total = total + out.hidden;
    }
    return total;
  }
};

class SharedProducts : public ::testing::TestWithParam<Place> {
 protected:
  static void expect_equal(Chain& shared, Chain& alone, const Tolerance& within) {
    const std::vector<Tensor*> ours = shared.parts();
    const std::vector<Tensor*> theirs = alone.parts();
    for (size_t i = 0; i < ours.size(); ++i) {
      EXPECT_TRUE(close(ours[i]->gradient(), theirs[i]->gradient(), within)) << "part " << i;
    }
  }
  /// A chain that shares its weights against one that does not.
  static void compare(int64_t rows, int64_t steps, const Tolerance& within) {
    Chain shared(rows, GetParam());
    Chain alone(rows, GetParam());
    shared.watch();
    alone.watch();
    std::optional<Products> products(std::in_place);
    const Tensor ours = shared.run(steps, &*products);
    products.reset();  // backward comes later
    const Tensor theirs = alone.run(steps);
    EXPECT_TRUE(close(ours, theirs, within));
    ours.backward(Tensor::full(ours.shape(), 1, GetParam()));
    theirs.backward(Tensor::full(theirs.shape(), 1, GetParam()));
    expect_equal(shared, alone, within);
  }
  static Tolerance within(int64_t terms) { return scaled(tolerance(GetParam().dtype, terms), 4); }
};

TEST_P(SharedProducts, FewRowsGatherUntilTheEnd) {
  const RanOn guard(GetParam());
  compare(3, 5, within(64));
}

TEST_P(SharedProducts, ManyRowsAreAddedOnTheWay) {
  const RanOn guard(GetParam());
  compare(200, 6, within(4096));  // 400 of 512 rows, three times
}

TEST_P(SharedProducts, VeryManyAreNotKept) { compare(600, 2, within(4096)); }

TEST_P(SharedProducts, NoRowsLeaveZeros) {
  Products products;
  Tensor weight = Tensor::full({2, 3}, 1, GetParam());
  weight.watch();
  const Tensor y = linear(Tensor::zeros({0, 3}, GetParam()), weight, {}, {.products = &products});
  y.backward(Tensor::zeros({0, 2}, GetParam()));
  EXPECT_TRUE(close(weight.gradient(), std::vector<double>(6, 0)));
}

TEST_P(SharedProducts, GradientsAddUpOverBackwards) {
  Chain shared(3, GetParam());
  Chain alone(3, GetParam());
  shared.watch();
  alone.watch();
  const Tensor one = Tensor::full({3, width}, 1, GetParam());
  for (const int64_t steps : {2, 3}) {
    Products products;
    shared.run(steps, &products).backward(one);
  }
  alone.run(2).backward(one);
  alone.run(3).backward(one);
  expect_equal(shared, alone, within(64));
}

TEST_P(SharedProducts, WatchedOrNotIsNotMixedUp) {
  Products products;
  Tensor weight = Tensor::full({2, 3}, 1, GetParam());
  Tensor x = Tensor::full({4, 3}, 1, GetParam());
  x.watch();
  const auto shared = [&] { return linear(x, weight, {}, {.products = &products}); };
  const Tensor frozen = shared();  // the same memory without a gradient
  weight.watch();
  {
    const NoGrad no_grad;
    shared();
  }
  const Tensor y = frozen + shared();
  y.backward(Tensor::full({4, 2}, 1, GetParam()));
  EXPECT_TRUE(close(weight.gradient(), std::vector<double>(6, 4)));
  EXPECT_TRUE(close(x.gradient(), std::vector<double>(12, 4)));
}

TEST_P(SharedProducts, WeightsKeepTheirPrecision) {
  const auto gradient = [](bool shares) {
    Chain chain(3, GetParam());
    chain.precision = Precision::bf16;
    chain.watch();
    Products products;
    chain.run(4, shares ? &products : nullptr).backward(Tensor::full({3, width}, 1, GetParam()));
    return chain.w.gradient();
  };
  EXPECT_TRUE(close(gradient(true), gradient(false), bf16_tolerance(16)));
}

TEST_P(SharedProducts, AScopeKnowsNothingOfAnother) {
  Tensor weight = Tensor::full({2, 3}, 1, GetParam());
  const Tensor x = Tensor::full({4, 3}, 1, GetParam());
  Products before;
  EXPECT_TRUE(close(linear(x, weight, {}, {.products = &before}), std::vector<double>(8, 3)));
  weight.backend().fill(weight.view(), 2);
  Products after;
  EXPECT_TRUE(close(linear(x, weight, {}, {.products = &after}), std::vector<double>(8, 6)));
}

INSTANTIATE_TEST_SUITE_P(Everywhere, SharedProducts, ::testing::ValuesIn(places()), name_of_place);

/// The gradients of the weight and of its bias are gathered until there are as many rows as the backend
/// wants; then they are multiplied and summed in one call.
TEST(GatheredGradients, AreOneCallForAsManyRowsAsTheBackendWants) {
  RecordingBackend backend(forced("cpu"));
  const Place place{&backend, DType::f32};
  const auto drawn = [&](const Shape& shape, uint64_t number) {
    return Tensor::random(shape, Distribution::normal, {6, 0, number}, place);
  };
  Tensor weight = drawn({5, 4}, 1);
  Tensor bias = drawn({5}, 2);
  weight.watch();
  bias.watch();
  const int64_t rows = 100;
  const auto steps = static_cast<int64_t>(2 * backend.gathered_rows() / rows);
  Tensor total;
  std::optional<Products> products(std::in_place);
  for (int64_t step = 0; step < steps; ++step) {
    const Tensor y = linear(drawn({rows, 4}, 10 + static_cast<uint64_t>(step)), weight, bias,
                            {.products = &*products});
    total = total.defined() ? total + y : y;
  }
  products.reset();
  const Tensor loss = sum(total);
  backend.take();
  loss.backward();
  int64_t gradients = 0;
  int64_t sums = 0;
  for (const std::string& call : backend.take().calls) {
    gradients += call.starts_with("product_gradient") ? 1 : 0;
    sums += call.starts_with("reduce") || call.starts_with("matmul") ? 1 : 0;
  }
  EXPECT_EQ(gradients, 2);
  EXPECT_EQ(sums, 0);
}

}  // namespace
}  // namespace heed::test::products_test
