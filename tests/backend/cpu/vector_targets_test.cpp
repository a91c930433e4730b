// The vector functions over the whole float range, on every SIMD target, against the C library in
// double. The bounds are those that heed/backend/cpu/vector_math-inl.h states.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "heed/backend/cpu/map.h"
#include "tests/backend/cpu/each_target.h"

namespace heed::test::vector_targets_test {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float any = std::numeric_limits<float>::max();
constexpr float least = 0x1p-125F;  // below, results may be 0

std::vector<float> run(Function f, const std::vector<float>& x) {
  std::vector<float> y(x.size());
  const float* const in[] = {x.data()};
  cpu::unary_loop(f)(y.data(), in, static_cast<int64_t>(x.size()), {});
  return y;
}

float at(Function f, float x) { return run(f, {x})[0]; }

/// Every 9973rd float of [low, high], and small steps around 0.
std::vector<float> floats(float low, float high) {
  std::vector<float> all;
  const auto look = [&](float x) {
    if (x >= low && x <= high) {
      all.push_back(x);
    }
  };
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += 9973) {
    look(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  }
  for (float x = -20; x < 20; x += 0.000317F) {
    look(x);
  }
  return all;
}

/// |y − exact|, in units of the last place of exact.
double units(float y, double exact) {
  const auto nearest = std::abs(static_cast<float>(exact));
  const double unit = std::nextafter(nearest, infinity) - nearest;
  return std::abs(static_cast<double>(y) - exact) / unit;
}

template <class Exact>
void expect_within(double most, Function f, const Exact& exact, float low = -any,
                   float high = any) {
  const std::vector<float> x = floats(low, high);
  on_each_target([&] {
    const std::vector<float> y = run(f, x);
    double worst = 0;
    float worst_at = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      const double expected = exact(static_cast<double>(x[i]));
      if (std::abs(expected) > any) {
        ASSERT_EQ(y[i], expected > 0 ? infinity : -infinity) << x[i];
      } else if (std::abs(expected) < least) {
        ASSERT_LE(std::abs(y[i] - expected), least) << x[i];
      } else if (!(units(y[i], expected) <= worst)) {
        worst = units(y[i], expected);
        worst_at = x[i];
      }
    }
    EXPECT_LE(worst, most) << "at " << worst_at;
  });
}

TEST(VectorTargets, Exp) {
  constexpr Function f = function<fn::Exp>;
  expect_within(1.0, f, [](double x) { return std::exp(x); });
  on_each_target([] {
    EXPECT_EQ(at(f, 0), 1);
    EXPECT_EQ(at(f, infinity), infinity);
    EXPECT_EQ(at(f, -infinity), 0);
    EXPECT_EQ(at(f, 88.8F), infinity);
    EXPECT_TRUE(std::isfinite(at(f, 88.722F)));
    EXPECT_TRUE(std::isnan(at(f, NAN)));
  });
}

TEST(VectorTargets, Tanh) {
  constexpr Function f = function<fn::Tanh>;
  expect_within(5.5, f, [](double x) { return std::tanh(x); });
  on_each_target([] {
    EXPECT_EQ(at(f, infinity), 1);
    EXPECT_EQ(at(f, -infinity), -1);
    EXPECT_TRUE(std::isnan(at(f, NAN)));
    EXPECT_TRUE(std::signbit(at(f, -0.0F)));
  });
}

TEST(VectorTargets, Sigmoid) {
  constexpr Function f = function<fn::Sigmoid>;
  expect_within(2.5, f, [](double x) { return 1 / (1 + std::exp(-x)); });
  on_each_target([] {
    EXPECT_EQ(at(f, infinity), 1);
    EXPECT_EQ(at(f, -infinity), 0);
    EXPECT_TRUE(std::isnan(at(f, NAN)));
  });
}

TEST(VectorTargets, Silu) {
  constexpr Function f = function<fn::Silu>;
  expect_within(
      3, f, [](double x) { return x / (1 + std::exp(-x)); }, -80);
  on_each_target([] {
    EXPECT_EQ(at(f, -1e30F), 0);
    EXPECT_NEAR(at(f, -90), 0, 1e-36);
    EXPECT_TRUE(std::isnan(at(f, NAN)));
  });
}

TEST(VectorTargets, Log) {
  constexpr Function f = function<fn::Log>;
  expect_within(
      1.0, f, [](double x) { return std::log(x); }, std::numeric_limits<float>::denorm_min());
  on_each_target([] {
    EXPECT_EQ(at(f, 1), 0);
    EXPECT_EQ(at(f, 0), -infinity);
    EXPECT_EQ(at(f, infinity), infinity);
    EXPECT_TRUE(std::isnan(at(f, -1)));
    EXPECT_TRUE(std::isnan(at(f, -infinity)));
    EXPECT_TRUE(std::isnan(at(f, NAN)));
  });
}

TEST(VectorTargets, Softplus) {
  constexpr Function f = function<fn::Softplus>;
  expect_within(2, f,
                [](double x) { return std::fmax(x, 0) + std::log1p(std::exp(-std::fabs(x))); });
  on_each_target([] {
    EXPECT_EQ(at(f, infinity), infinity);
    EXPECT_EQ(at(f, -infinity), 0);
    EXPECT_TRUE(std::isnan(at(f, NAN)));
  });
}

TEST(VectorTargets, Erf) {
  constexpr Function f = function<fn::Erf>;
  expect_within(5.5, f, [](double x) { return std::erf(x); });
  on_each_target([] {
    EXPECT_EQ(at(f, infinity), 1);
    EXPECT_EQ(at(f, -infinity), -1);
    EXPECT_TRUE(std::isnan(at(f, NAN)));
    EXPECT_TRUE(std::signbit(at(f, -0.0F)));
  });
}

/// x Φ(x) for x below 0 is the small difference of large numbers: its absolute error is bounded.
TEST(VectorTargets, Gelu) {
  constexpr Function f = function<fn::Gelu>;
  const auto exact = [](double x) { return 0.5 * x * std::erfc(-x * std::sqrt(0.5)); };
  expect_within(3.5, f, exact, -0.5F);
  on_each_target([&] {
    const std::vector<float> x = floats(-any, -0.5F);
    const std::vector<float> y = run(f, x);
    EXPECT_EQ(at(f, -1e30F), 0);
    for (size_t i = 0; i < x.size(); ++i) {
      ASSERT_NEAR(y[i], x[i] < -1e6F ? 0 : exact(static_cast<double>(x[i])), 1e-6) << x[i];
    }
    EXPECT_TRUE(std::isnan(at(f, NAN)));
  });
}

TEST(VectorTargets, AnElementIsTheSameWhereverItLies) {
  std::vector<float> x;
  for (int i = 0; i < 131; ++i) {
    x.push_back(std::sin(static_cast<float>(i)) * 5);
  }
  on_each_target([&] {
    for (const Function f : {function<fn::Exp>, function<fn::Tanh>, function<fn::Gelu>,
                             function<fn::Sigmoid>, function<fn::Log>, function<fn::Softplus>}) {
      const std::vector<float> all = run(f, x);
      for (size_t n = 1; n < 70; ++n) {
        const std::vector<float> some = run(f, {x.end() - static_cast<int64_t>(n), x.end()});
        for (size_t i = 0; i < n; ++i) {
          ASSERT_EQ(std::bit_cast<uint32_t>(some[i]),
                    std::bit_cast<uint32_t>(all[x.size() - n + i]))
              << i << " of " << n;
        }
      }
    }
  });
}

}  // namespace
}  // namespace heed::test::vector_targets_test
