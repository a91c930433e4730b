// Products of the same rows are one call where weights serve, with the bits of products one by one.
#include "heed/ops/projections.h"

#include <gtest/gtest.h>

#include "heed/ops/matmul.h"
#include "heed/tensor/tape.h"
#include "tests/support/backends.h"
#include "tests/support/recording_backend.h"
#include "tests/support/tolerance.h"

namespace heed::test::projections_test {
namespace {

Tensor normal(const Shape& shape, uint64_t number, const Place& place) {
  return Tensor::random(shape, Distribution::normal, {7, 0, number}, place);
}

TEST(Projections, OfServingWeightsAreOneCallWithTheBitsOfEach) {
  const NoGrad no_gradients;
  for (const Precision precision : {Precision::f32, Precision::bf16, Precision::int8}) {
    RecordingBackend backend(forced("cpu"));
    const Place place{&backend, DType::f32};
    const Tensor x = normal({2, 3, 37}, 1, place);
    const Tensor bias = normal({24}, 2, place);
    Weight weights[] = {normal({24, 37}, 3, place), normal({5, 37}, 4, place)};
    for (Weight& weight : weights) {
      weight.serve(precision);
    }
    const Projection by[] = {{weights[0], bias}, {weights[1], Tensor()}};
    backend.take();
    const std::vector<Tensor> all = projections(x, by);
    EXPECT_EQ(backend.take().calls.size(), 1);
    EXPECT_EQ(all[1].shape(), Shape({2, 3, 5}));
    EXPECT_TRUE(same_bits(all[0], linear(x, weights[0], bias)));
    EXPECT_TRUE(same_bits(all[1], linear(x, weights[1])));
  }
}

TEST(Projections, HaveGradientsWhereTheyTrain) {
  for (const Place& place : places()) {
    Tensor x = normal({3, 6}, 5, place).watch();
    Tensor w = normal({4, 6}, 6, place).watch();
    Tensor v = normal({2, 6}, 7, place).watch();
    Tensor b = normal({4}, 8, place).watch();
    const Weight first(w);
    const Weight second(v);
    const Tensor none;
    const Projection by[] = {{first, b}, {second, none}};
    const std::vector<Tensor> all = projections(x, by);
    all[0].backward(normal({3, 4}, 9, place));
    all[1].backward(normal({3, 2}, 10, place));
    const Tensor dw = w.gradient();
    const Tensor dx = x.gradient();
    for (Tensor* each : {&x, &w, &v, &b}) {
      each->clear_gradient();
    }
    linear(x, first, b).backward(normal({3, 4}, 9, place));
    linear(x, second).backward(normal({3, 2}, 10, place));
    EXPECT_TRUE(same_bits(dw, w.gradient()));
    EXPECT_TRUE(same_bits(dx, x.gradient()));
  }
}

}  // namespace
}  // namespace heed::test::projections_test
