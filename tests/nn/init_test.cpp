#include "heed/nn/init.h"

#include <cmath>
#include <functional>

#include "heed/base/error.h"
#include "tests/nn/places.h"

namespace heed::test::init_test {
namespace {

class InitTest : public OnEveryPlace {};
INSTANTIATE_TEST_SUITE_P(Everywhere, InitTest, ::testing::ValuesIn(places()), name_of_place);

struct Moments {
  double mean = 0;
  double deviation = 0;
  double largest = 0;
};

Moments moments_of(const Tensor& x) {
  Moments m;
  double square = 0;
  for (const double value : x.values()) {
    m.mean += value / static_cast<double>(x.numel());
    square += value * value / static_cast<double>(x.numel());
    m.largest = std::max(m.largest, std::abs(value));
  }
  m.deviation = std::sqrt(square - m.mean * m.mean);
  return m;
}

// With n draws the mean strays by σ/√n and the deviation by about σ/√(2n); five of those is never.
TEST_P(InitTest, DrawsHaveTheMomentsTheyPromise) {
  Init init(place(), 3);
  const double n = 100 * 120;
  const auto expect = [&](const Moments& m, double deviation) {
    EXPECT_NEAR(m.mean, 0, 5 * deviation / std::sqrt(n));
    EXPECT_NEAR(m.deviation, deviation, 5 * deviation / std::sqrt(2 * n));
  };
  expect(moments_of(init.normal({100, 120}, 0.3)), 0.3);
  const Moments uniform = moments_of(init.uniform({100, 120}, 0.7));
  expect(uniform, 0.7 / std::sqrt(3.0));
  EXPECT_LE(uniform.largest, 0.7);
  EXPECT_GT(uniform.largest, 0.69);
  const double bound = std::sqrt(6.0 / 220);
  const Moments glorot = moments_of(init.glorot({100, 120}));
  expect(glorot, bound / std::sqrt(3.0));
  EXPECT_LE(glorot.largest, bound * (1 + 1e-6));
}

TEST_P(InitTest, OrthogonalBlocksHaveOrthonormalRowsOrColumns) {
  Init init(place(), 3);
  const struct { int64_t blocks, rows, columns; } cases[] = {{3, 5, 5}, {2, 3, 7}, {2, 7, 3}};
  for (const auto& [blocks, rows, columns] : cases) {
    const std::vector<double> m = init.orthogonal(blocks, rows, columns).values();
    const bool by_row = rows <= columns;
    const int64_t vectors = by_row ? rows : columns;
    const int64_t length = by_row ? columns : rows;
    for (int64_t b = 0; b < blocks; ++b) {
      const auto at = [&](int64_t vector, int64_t i) {
        return m[b * rows * columns + (by_row ? vector * columns + i : i * columns + vector)];
      };
      for (int64_t i = 0; i < vectors; ++i) {
        for (int64_t j = 0; j <= i; ++j) {
          double product = 0;
          for (int64_t k = 0; k < length; ++k) {
            product += at(i, k) * at(j, k);
          }
          EXPECT_NEAR(product, i == j ? 1 : 0, 1e-6);
        }
      }
    }
  }
}

TEST_P(InitTest, TheSameSeedGivesTheSameWeightsAndEachItsOwn) {
  Init one(place(), 3);
  Init two(place(), 3);
  Init other(place(), 4);
  const Tensor first = one.glorot({4, 5});
  EXPECT_TRUE(same_bits(first, two.glorot({4, 5})));
  EXPECT_FALSE(same_bits(first, one.glorot({4, 5})));
  EXPECT_FALSE(same_bits(first, other.glorot({4, 5})));
  EXPECT_TRUE(first.needs_gradient());
}

/// The host draws them, whatever a backend's own random numbers are.
TEST_P(InitTest, EveryBackendHasTheSameBits) {
  Init init(place(), 3);
  Init other({&forced("reference"), DType::f32}, 3);
  const std::vector<std::function<Tensor(Init&)>> ways = {
      [](Init& one) {
        return one.uniform({130, 77}, 0.7);
      },
      [](Init& one) {
        return one.normal({130, 77}, 0.3);
      },
      [](Init& one) { return one.glorot(3, 21, 17); },
      [](Init& one) { return one.orthogonal(2, 19, 33); },
      [](Init& one) { return one.orthogonal(3, 33, 19); }};
  for (size_t i = 0; i < ways.size(); ++i) {
    EXPECT_EQ(ways[i](init).values<float>(), ways[i](other).values<float>()) << i;
  }
}

/// Against the formulas of base/philox.h, element by element.
TEST(InitAlone, UniformsAndNormalsAreTheDraws) {
  Init init({&forced("cpu"), DType::f32}, 11);
  const std::vector<float> uniform = init.uniform({3, 7}, 0.3).values<float>();
  const std::vector<float> normal = init.normal({3, 7}, 0.7).values<float>();
  const Draws first({11, 0, 0});
  const Draws second({11, 0, 1});
  for (size_t e = 0; e < 21; ++e) {
    const double u = (static_cast<double>(first.bits(e) >> 9) + 0.5) * 0x1p-23;
    EXPECT_EQ(uniform[e], static_cast<float>(static_cast<double>(0.3F) * (2 * u - 1))) << e;
    EXPECT_EQ(normal[e], 0.7F * second.normal(e)) << e;
  }
}

/// Room is checked before memory is taken, whatever the way in which a parameter is filled.
TEST_P(InitTest, ParametersBeyondTheRoomAreRefused) {
  const WeightRoom room{.tensors = 3, .elements = 12};
  constexpr int64_t huge = int64_t{1} << 40;  // more than any memory
  const std::vector<std::function<Tensor(Init&, int64_t)>> ways = {
      [](Init& init, int64_t rows) {
        return init.zeros({rows, 2});
      },
      [](Init& init, int64_t rows) {
        return init.uniform({rows, 2}, 1);
      },
      [](Init& init, int64_t rows) {
        return init.normal({rows, 2}, 1);
      },
      [](Init& init, int64_t rows) { return init.glorot(2, rows / 2, 2); },
      [](Init& init, int64_t rows) { return init.orthogonal(2, rows / 2, 2); }};
  for (const auto& way : ways) {
    for (Init init : {Init(place(), 3, room), Init::unfilled(place(), room)}) {
      EXPECT_THROW(way(init, huge), Error);
      EXPECT_EQ(way(init, 4).numel(), 8);
      EXPECT_THROW(way(init, 4), Error);
      EXPECT_EQ(way(init, 2).numel(), 4);
      EXPECT_EQ(init.zeros({0}).numel(), 0);
      EXPECT_THROW(init.zeros({0}), Error) << "there were three tensors";
    }
  }
}

}  // namespace
}  // namespace heed::test::init_test
