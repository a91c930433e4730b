// The vectorisable functions over the whole float range, against the C library in double.
#include "heed/backend/cpu/vector_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace heed::cpu {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

struct Worst {
  double relative = 0;
  double absolute = 0;
};

/// The largest errors at every 997th float of [low, high] and at the small steps around 0, ±1, ….
/// Relative errors count where the exact result is a normal float.
template <class Fast, class Exact>
Worst worst_of(Fast fast, Exact exact, float low, float high) {
  Worst worst;
  const auto look = [&](float x) {
    if (!(x >= low && x <= high)) {
      return;
    }
    const float y = fast(x);
    const double expected = exact(static_cast<double>(x));
    if (std::abs(expected) > std::numeric_limits<float>::max()) {
      EXPECT_EQ(y, expected > 0 ? infinity : -infinity) << x;
      return;
    }
    const double off = std::abs(y - expected);
    EXPECT_FALSE(std::isnan(off)) << x;
    worst.absolute = std::max(worst.absolute, off);
    if (std::abs(expected) >= std::numeric_limits<float>::min()) {
      worst.relative = std::max(worst.relative, off / std::abs(expected));
    }
  };
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += 9973) {
    look(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  }
  for (float x = -20; x < 20; x += 0.000317F) {
    look(x);
  }
  return worst;
}

constexpr float any = std::numeric_limits<float>::max();

TEST(VectorMath, Exp) {
  const auto worst = worst_of([](float x) { return VectorMath::exp(x); },
                              [](double x) { return std::exp(x); }, -any, any);
  EXPECT_LE(worst.relative, 2e-7);
  EXPECT_EQ(VectorMath::exp(0), 1);
  EXPECT_EQ(VectorMath::exp(infinity), infinity);
  EXPECT_EQ(VectorMath::exp(-infinity), 0);
  EXPECT_TRUE(std::isnan(VectorMath::exp(NAN)));
  // Subnormal results are there, as exact as they can be.
  EXPECT_NEAR(VectorMath::exp(-100.0F) / std::exp(-100.0), 1, 0.02);
  EXPECT_GT(VectorMath::exp(-103.0F), 0);
}

TEST(VectorMath, Tanh) {
  const auto worst = worst_of([](float x) { return VectorMath::tanh(x); },
                              [](double x) { return std::tanh(x); }, -any, any);
  EXPECT_LE(worst.relative, 3e-7);
  EXPECT_LE(worst.absolute, 1.5e-7);
  EXPECT_EQ(VectorMath::tanh(infinity), 1);
  EXPECT_EQ(VectorMath::tanh(-infinity), -1);
  EXPECT_TRUE(std::isnan(VectorMath::tanh(NAN)));
  EXPECT_TRUE(std::signbit(VectorMath::tanh(-0.0F)));
}

TEST(VectorMath, Sigmoid) {
  const auto worst = worst_of([](float x) { return VectorMath::sigmoid(x); },
                              [](double x) { return 1 / (1 + std::exp(-x)); }, -any, any);
  EXPECT_LE(worst.relative, 3e-7);
  EXPECT_LE(worst.absolute, 1.5e-7);
  EXPECT_EQ(VectorMath::sigmoid(infinity), 1);
  EXPECT_EQ(VectorMath::sigmoid(-infinity), 0);
  EXPECT_TRUE(std::isnan(VectorMath::sigmoid(NAN)));
}

TEST(VectorMath, Log) {
  const auto worst =
      worst_of([](float x) { return VectorMath::log(x); }, [](double x) { return std::log(x); },
               std::numeric_limits<float>::denorm_min(), any);
  EXPECT_LE(worst.relative, 2e-7);
  EXPECT_EQ(VectorMath::log(1), 0);
  EXPECT_EQ(VectorMath::log(0), -infinity);
  EXPECT_EQ(VectorMath::log(infinity), infinity);
  EXPECT_TRUE(std::isnan(VectorMath::log(-1)));
  EXPECT_TRUE(std::isnan(VectorMath::log(-infinity)));
  EXPECT_TRUE(std::isnan(VectorMath::log(NAN)));
}

TEST(VectorMath, Log1p) {
  const auto worst = worst_of([](float x) { return VectorMath::log1p(x); },
                              [](double x) { return std::log1p(x); }, 0, any);
  EXPECT_LE(worst.relative, 3e-7);
  EXPECT_EQ(VectorMath::log1p(infinity), infinity);
  EXPECT_TRUE(std::isnan(VectorMath::log1p(NAN)));
}

TEST(VectorMath, Erf) {
  const auto worst = worst_of([](float x) { return VectorMath::erf(x); },
                              [](double x) { return std::erf(x); }, -any, any);
  EXPECT_LE(worst.relative, 3e-7);
  EXPECT_LE(worst.absolute, 2e-7);
  EXPECT_EQ(VectorMath::erf(infinity), 1);
  EXPECT_EQ(VectorMath::erf(-infinity), -1);
  EXPECT_TRUE(std::isnan(VectorMath::erf(NAN)));
  EXPECT_TRUE(std::signbit(VectorMath::erf(-0.0F)));
}

}  // namespace
}  // namespace heed::cpu
