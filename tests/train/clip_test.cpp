#include "heed/train/clip.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/backends.h"
#include "tests/support/tolerance.h"

namespace heed {
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
  const auto all = three.all();
  clip_gradients(all, gradient_norm(all), 5);
  EXPECT_TRUE(test::close(three.a.gradient(), std::vector<double>{1, -2}));
  clip_gradients(all, gradient_norm(all), 0.5);
  EXPECT_TRUE(test::close(three.a.gradient(), std::vector<double>{0.1, -0.2}));
  EXPECT_TRUE(test::close(three.b.gradient(), std::vector<double>{0.2, 0.4, 0, 0}));
  EXPECT_FALSE(three.c.gradient().defined());
  EXPECT_NEAR(gradient_norm(all).norm, 0.5, 1e-6);
}

TEST_P(Clip, ASharedGradientIsScaledOnceEach) {
  Three three(GetParam());
  const Tensor shared = Tensor::of(std::vector<double>{3, 4}, {2}, GetParam());
  Tensor d = Tensor::zeros({2}, GetParam()).watch();
  three.a.set_gradient(shared);
  d.set_gradient(shared);
  const std::vector<NamedParameter> both{{"a", &three.a}, {"d", &d}};
  clip_gradients(both, gradient_norm(both), std::sqrt(0.5));
  EXPECT_TRUE(test::close(three.a.gradient(), std::vector<double>{0.3, 0.4}));
  EXPECT_TRUE(test::close(d.gradient(), std::vector<double>{0.3, 0.4}));
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
}  // namespace heed
