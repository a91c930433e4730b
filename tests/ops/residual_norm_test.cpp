// A residual branch, its dropout and the norm behind it, against the three ops one after the other.
#include "heed/ops/residual_norm.h"

#include <gtest/gtest.h>

#include "heed/ops/arithmetic.h"
#include "heed/ops/dropout.h"
#include "heed/ops/layer_norm.h"
#include "heed/ops/reduce.h"
#include "heed/ops/rms_norm.h"
#include "tests/support/backends.h"
#include "tests/support/recording_backend.h"
#include "tests/support/tolerance.h"

namespace heed::test::residual_norm_test {
namespace {

class ResidualNorms : public ::testing::TestWithParam<Place> {};
INSTANTIATE_TEST_SUITE_P(Everywhere, ResidualNorms, ::testing::ValuesIn(places()), name_of_place);

struct Given {
  Tensor x, branch, weight, bias;

  Given(const Shape& shape, const Place& place) {
    const Shape width{shape[-1]};
    uint64_t number = 0;
    for (Tensor* one : {&x, &branch, &weight, &bias}) {
      const Shape own = number < 2 ? shape : width;
      *one = Tensor::random(own, Distribution::normal, {9, 0, number++}, place);
      one->watch();
    }
  }
};

ResidualNormed one_by_one(const Given& in, const BranchDropout& drop, bool is_centred) {
  const Tensor sum = in.x + dropout(in.branch, drop.rate, drop.key);
  return {sum,
          is_centred ? layer_norm(sum, in.weight, in.bias, 1e-5) : rms_norm(sum, in.weight, 1e-5)};
}

/// Which results the loss depends on.
struct Reads {
  bool sum;
  bool normed;
};

TEST_P(ResidualNorms, EqualTheThreeOps) {
  const RanOn guard(GetParam());
  for (const Shape& shape : {Shape{1, 1}, Shape{7, 33}, Shape{3, 50, 64}, Shape{130, 12}}) {
    for (const double rate : {0.0, 0.3}) {
      for (const bool is_centred : {true, false}) {
        for (const Reads& reads : {Reads{true, true}, Reads{true, false}, Reads{false, true}}) {
          SCOPED_TRACE(fmt::format("{} rate {} centred {} reads {} {}", to_string(shape), rate,
                                   is_centred, reads.sum, reads.normed));
          const BranchDropout drop{rate, DrawKey({5, 6, 7})};
          Given ours(shape, GetParam());
          Given theirs(shape, GetParam());
          const ResidualNormed a =
              residual_norm(ours.x, ours.branch, drop,
                            {ours.weight, is_centred ? ours.bias : Tensor(), 1e-5, is_centred});
          const ResidualNormed b = one_by_one(theirs, drop, is_centred);
          EXPECT_TRUE(close(a.sum, b.sum, 4));
          EXPECT_TRUE(close(a.normed, b.normed, 64));
          const Tensor seed = Tensor::random(shape, Distribution::normal, {9, 0, 8}, GetParam());
          const Tensor other = Tensor::random(shape, Distribution::normal, {9, 0, 9}, GetParam());
          for (const ResidualNormed* one : {&a, &b}) {
            Tensor loss = Tensor::zeros({}, GetParam());
            loss = reads.sum ? loss + sum(one->sum * seed) : loss;
            loss = reads.normed ? loss + sum(one->normed * other) : loss;
            loss.backward();
          }
          const Tolerance within = scaled(tolerance(GetParam().dtype, 256), 8);
          EXPECT_TRUE(close(ours.x.gradient(), theirs.x.gradient(), within));
          EXPECT_TRUE(close(ours.branch.gradient(), theirs.branch.gradient(), within));
          EXPECT_EQ(ours.weight.gradient().defined(), theirs.weight.gradient().defined());
          if (reads.normed) {
            EXPECT_TRUE(close(ours.weight.gradient(), theirs.weight.gradient(), within));
          }
          if (reads.normed && is_centred) {
            EXPECT_TRUE(close(ours.bias.gradient(), theirs.bias.gradient(), within));
          }
        }
      }
    }
  }
}

TEST(ResidualNormCalls, AreOneThereAndOneBack) {
  RecordingBackend backend(forced("cpu"));
  Given in({20, 16}, {&backend, DType::f32});
  backend.take();
  const ResidualNormed both =
      residual_norm(in.x, in.branch, {0.1, DrawKey({1, 2, 3})}, {in.weight, in.bias, 1e-5, true});
  EXPECT_EQ(backend.take().calls.size(), 1U);
  const Tensor seed = Tensor::full({20, 16}, 1, in.x.place());
  backend.take();
  both.normed.backward(seed);
  EXPECT_EQ(backend.take().calls.size(), 1U);
}

}  // namespace
}  // namespace heed::test::residual_norm_test
