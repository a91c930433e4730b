#include "heed/train/clip.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/backends.h"
#include "tests/support/tolerance.h"

namespace heed::clip_test {
namespace {

class Clip : public ::testing::TestWithParam<Place> {};
INSTANTIATE_TEST_SUITE_P(Everywhere, Clip, ::testing::ValuesIn(test::places()),
                         test::name_of_place);

struct Three {
  explicit Three(const Place& place)
      : a(Tensor::zeros({2}, place).watch()),
        b(Tensor::zeros({2, 2}, place).watch()),
        c(Tensor::zeros({3}, place).watch()) {
    a.set_gradient(Tensor::of(std::vector<double>{1, -2}, {2}, place));
    b.set_gradient(Tensor::of(std::vector<double>{2, 4, 0, 0}, {2, 2}, place));
  }
  std::vector<NamedParameter> all() { return {{"a", &a}, {"b", &b}, {"c", &c}}; }
  Tensor a, b, c;
};

TEST_P(Clip, TheNormIsOverEverything) {
  Three three(GetParam());
  EXPECT_DOUBLE_EQ(gradient_norm(three.all()).norm, 5);  // 1 + 4 + 4 + 16
  EXPECT_EQ(gradient_norm({}).norm, 0);
}

TEST_P(Clip, OtherNumbersComeWithIt) {
  Three three(GetParam());
  const std::vector<Tensor> losses{Tensor::full({}, 0.25, GetParam()),
                                   Tensor::full({1}, std::nan(""), GetParam()),
                                   Tensor::full({}, -3, GetParam())};
  const GradientNorm norm = gradient_norm(three.all(), losses);
  EXPECT_DOUBLE_EQ(norm.norm, 5);
  EXPECT_TRUE(norm.is_finite());  // that is asked of gradients only
  ASSERT_EQ(norm.beside.size(), 3U);
  EXPECT_EQ(norm.beside[0], 0.25);
  EXPECT_TRUE(std::isnan(norm.beside[1]));
  EXPECT_EQ(norm.beside[2], -3);
  EXPECT_EQ(gradient_norm({}, losses).beside[2], -3);
}

TEST_P(Clip, ScalesOnlyWhatIsTooLong) {
  Three three(GetParam());
  const GradientNorm norm = gradient_norm(three.all());
  EXPECT_EQ(clip_factor(norm, 7), 1);
  EXPECT_EQ(clip_factor(norm, 5), 1);
  EXPECT_DOUBLE_EQ(clip_factor(norm, 0.5), 0.1);
}

/// Σ of squares of a tensor that has several partial sums, and of one that has none.
TEST_P(Clip, TheNormOfManyElements) {
  const int64_t many = 300001;
  Tensor a = Tensor::zeros({many}, GetParam()).watch();
  Tensor b = Tensor::zeros({0}, GetParam()).watch();
  Tensor c = Tensor::zeros({1}, GetParam()).watch();
  a.set_gradient(Tensor::random({many}, Distribution::normal, {1, 2, 3}, GetParam()));
  b.set_gradient(Tensor::zeros({0}, GetParam()));
  c.set_gradient(Tensor::full({1}, 100, GetParam()));
  double expected = 10000;
  for (const double one : a.gradient().values()) {
    expected += one * one;
  }
  const std::vector<NamedParameter> all{{"a", &a}, {"b", &b}, {"c", &c}};
  EXPECT_NEAR(gradient_norm(all).norm, std::sqrt(expected), 1e-6 * std::sqrt(expected));
}

TEST_P(Clip, NamesTheFirstThatIsNotFinite) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Three three(GetParam());
    three.b.set_gradient(Tensor::of(std::vector<double>{0, bad, 0, 0}, {2, 2}, GetParam()));
    three.c.set_gradient(Tensor::full({3}, bad, GetParam()));
    const GradientNorm norm = gradient_norm(three.all());
    EXPECT_FALSE(norm.is_finite());
    EXPECT_EQ(norm.first_bad, "b");
  }
}

}  // namespace
}  // namespace heed::clip_test
