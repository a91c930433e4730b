// The additive score's tiles against the formula in double: every activation, any width, far
// outside the range of the exponentials, and each SIMD target in turn.
#include "heed/backend/cpu/attend/additive_tiles.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <cmath>
#include <limits>

#include "tests/support/backends.h"
#include "tests/support/layout.h"

namespace heed::test::additive_tiles_test {
namespace {

using cpu::AdditiveTiles;
using cpu::Block;
using cpu::TileRows;

constexpr Activation all_activations[] = {Activation::tanh, Activation::relu, Activation::sigmoid,
                                          Activation::gelu};

Place cpu_place() { return {&forced("cpu"), DType::f32}; }

double value_of(Activation activation, double x) {
  switch (activation) {
    case Activation::relu:
      return x > 0 ? x : 0;
    case Activation::sigmoid:
      return 1 / (1 + std::exp(-x));
    case Activation::gelu:
      return x * 0.5 * std::erfc(-x / std::sqrt(2.0));
    default:
      return std::tanh(x);
  }
}

double gradient_of(Activation activation, double x) {
  switch (activation) {
    case Activation::relu:
      return x > 0 ? 1 : 0;
    case Activation::sigmoid:
      return value_of(activation, x) * value_of(activation, -x);
    case Activation::gelu:
      return 0.5 * std::erfc(-x / std::sqrt(2.0)) +
             x * std::exp(-0.5 * x * x) / std::sqrt(2 * std::acos(-1.0));
    default:
      return 1 / (std::cosh(x) * std::cosh(x));
  }
}

/// One head among others: M = 2, G = 2, P = 2, and the second of each is looked at.
struct Case {
  int64_t rows, slots, width;
  Activation activation = Activation::tanh;
  Laid query, keys, v, de;
  Tensor prepared = {};

  static constexpr cpu::HeadOf head{1, 1, 1};
  double q(int64_t r, int64_t a) const { return query.at({1, 1, 1, r, a}); }
  double k(int64_t s, int64_t a) const { return keys.at({1, 1, s, a}); }
  double weight(int64_t a) const { return v.at({1, 1, a}); }
  AttendScore score() const {
    AdditivePairs pairs{v.tensor.view(), activation, {}};
    if (prepared.defined()) {
      pairs.prepared = prepared.view();
    }
    return {query.tensor.view(), keys.tensor.view(), pairs};
  }
};

/// `far` of the numbers is drawn `wide` instead of 1 wide.
Case drawn(const Shape& sizes, Dice& dice, Spacing layout, double wide = 1, double far = 1) {
  const auto draw = [&] { return (dice.uniform(0, 1) < far ? wide : 1) * dice.normal(); };
  Case c{sizes[0], sizes[1], sizes[2], {}, {}, {}, {}, {}};
  const Place place = cpu_place();
  c.query = laid({2, 2, 2, c.rows, c.width}, place, dice, Spacing::dense, draw);
  c.keys = laid({2, 2, c.slots, c.width}, place, dice, Spacing::dense, draw);
  c.v = laid_normal({2, 2, c.width}, place, dice, layout);
  c.de = laid_normal({c.rows, c.slots}, place, dice, Spacing::dense);
  return c;
}

/// The keys as a memory prepares them for the kernel.
void prepare(Case& c) {
  const View keys = c.keys.tensor.view();
  int64_t width = 0;
  ASSERT_TRUE(forced("cpu").run_fused(PrepareKeys{.keys = keys, .width = &width}));
  c.prepared = Tensor::empty({2, 2, c.slots, width}, cpu_place());
  ASSERT_TRUE(forced("cpu").run_fused(PrepareKeys{.keys = keys, .prepared = c.prepared.view()}));
}

struct Results {
  std::vector<float> e, dquery, dkeys, dv;
};

/// All rows and slots, block by block; gradients begin at 1, because they are added to.
Results run(const Case& c, int64_t block_rows = 32, int64_t block_slots = 128) {
  Results out;
  const auto floats = [](int64_t count) {
    return std::vector<float>(static_cast<size_t>(count), 1);
  };
  out.e = floats(c.rows * c.slots);
  out.dquery = floats(c.rows * c.width);
  out.dkeys = floats(c.slots * c.width);
  out.dv = floats(c.width);
  std::vector<float> de(c.de.values.begin(), c.de.values.end());
  AdditiveTiles tiles(c.score(), Case::head);
  tiles.prepare({0, c.rows, 0, c.slots});
  for (int64_t r = 0; r < c.rows; r += block_rows) {
    for (int64_t s = 0; s < c.slots; s += block_slots) {
      const Block b{r, std::min(block_rows, c.rows - r), s, std::min(block_slots, c.slots - s)};
      tiles.scores(b, {out.e.data() + r * c.slots + s, c.slots});
      tiles.gradients(b, {de.data() + r * c.slots + s, c.slots},
                      {{out.dquery.data(), c.width}, {out.dkeys.data(), c.width}, out.dv.data()});
    }
  }
  return out;
}

/// Sums of n terms whose sizes add up to `size`.
void expect_near(double is, double should, double size, const char* what) {
  ASSERT_TRUE(std::isfinite(is)) << what;
  ASSERT_NEAR(is, should, 2e-6 * size + 1e-6) << what;
}

void expect_formula(const Case& c, const Results& results) {
  std::vector<double> dquery(results.dquery.size()), dkeys(results.dkeys.size());
  std::vector<double> dv(results.dv.size()), size(results.dv.size());
  std::vector<double> row_size(dquery.size()), slot_size(dkeys.size());
  for (int64_t r = 0; r < c.rows; ++r) {
    for (int64_t s = 0; s < c.slots; ++s) {
      double e = 0;
      double terms = 0;
      const double de = static_cast<float>(c.de.at({r, s}));
      for (int64_t a = 0; a < c.width; ++a) {
        // Kernels add q and k in float; what is tested here is what follows.
        const double x = static_cast<float>(c.q(r, a)) + static_cast<float>(c.k(s, a));
        const double f = value_of(c.activation, x);
        e += c.weight(a) * f;
        terms += std::abs(c.weight(a)) * std::max(1.0, std::abs(f));
        const double g = de * c.weight(a) * gradient_of(c.activation, x);
        dquery[r * c.width + a] += g;
        dkeys[s * c.width + a] += g;
        dv[a] += de * f;
        row_size[r * c.width + a] += std::abs(de * c.weight(a));
        slot_size[s * c.width + a] += std::abs(de * c.weight(a));
        size[a] += std::abs(de) * std::max(1.0, std::abs(f));
      }
      expect_near(results.e[r * c.slots + s], e, terms, "e");
    }
  }
  for (size_t i = 0; i < dquery.size(); ++i) {
    expect_near(results.dquery[i], 1 + dquery[i], row_size[i], "dquery");
  }
  for (size_t i = 0; i < dkeys.size(); ++i) {
    expect_near(results.dkeys[i], 1 + dkeys[i], slot_size[i], "dkeys");
  }
  for (size_t i = 0; i < dv.size(); ++i) {
    expect_near(results.dv[i], 1 + dv[i], size[i], "dv");
  }
}

TEST(AdditiveTiles, EveryActivationOverAnyShape) {
  Dice dice(1);
  for (const Activation activation : all_activations) {
    for (const Shape& sizes : {Shape{1, 1, 1}, Shape{2, 3, 7}, Shape{1, 17, 64}, Shape{5, 9, 100},
                               Shape{8, 33, 31}, Shape{37, 40, 128}, Shape{3, 131, 200}}) {
      for (const Spacing layout : {Spacing::dense, Spacing::strided}) {
        Case c = drawn(sizes, dice, layout);
        c.activation = activation;
        expect_formula(c, run(c));
      }
    }
  }
}

TEST(AdditiveTiles, PreparedExponentialsServeAsWell) {
  Dice dice(2);
  for (const Shape& sizes : {Shape{1, 9, 128}, Shape{4, 32, 256}, Shape{3, 5, 13}}) {
    for (const Spacing layout : {Spacing::dense, Spacing::strided}) {
      Case c = drawn(sizes, dice, layout, 12, 0.001);
      prepare(c);
      expect_formula(c, run(c));
    }
  }
}

TEST(AdditiveTiles, FarOutsideTheRangeOfExponentials) {
  Dice dice(3);
  for (const Activation activation : all_activations) {
    for (const double wide : {3.0, 6.0, 12.0, 25.0, 60.0, 1e4}) {
      for (const double far : {1.0, 0.01}) {
        Case c = drawn({6, 11, 130}, dice, Spacing::dense, wide, far);
        c.activation = activation;
        if (activation == Activation::tanh && far < 1) {
          prepare(c);
        }
        expect_formula(c, run(c));
      }
    }
  }
}

TEST(AdditiveTiles, FarNumbersThatCancel) {
  Dice dice(4);
  for (const double far : {9.0, 19.0, 39.0, 50.0, 60.0, 1000.0}) {
    for (const double sum : {-5.0, 0.0, 0.25, 5.0}) {
      for (const bool prepared : {false, true}) {
        Case c = drawn({3, 5, 64}, dice, Spacing::dense);
        const auto fill = [&](Laid& rows, double x) {
          rows = laid(std::vector<double>(rows.values.size(), x), rows.shape, cpu_place(), dice,
                      Spacing::dense);
        };
        fill(c.query, far);
        fill(c.keys, sum - far);
        if (prepared) {
          prepare(c);
        }
        expect_formula(c, run(c));
      }
    }
  }
}

TEST(AdditiveTiles, LargeVAndSmallGradients) {
  Dice dice(5);
  Case c = drawn({4, 9, 128}, dice, Spacing::dense, 9.5);
  std::vector<double> v = c.v.values;
  for (double& x : v) {
    x *= 1e4;
  }
  c.v = laid(v, c.v.shape, cpu_place(), dice, Spacing::dense);
  expect_formula(c, run(c));
  Case small = drawn({4, 9, 128}, dice, Spacing::dense, 2);
  std::vector<double> de = small.de.values;
  for (double& x : de) {
    x *= 1e-8;
  }
  small.de = laid(de, small.de.shape, cpu_place(), dice, Spacing::dense);
  AdditiveTiles tiles(small.score(), Case::head);
  tiles.prepare({0, 4, 0, 9});
  std::vector<float> dquery(4 * 128), from(de.begin(), de.end());
  tiles.gradients({0, 4, 0, 9}, {from.data(), 9}, {{dquery.data(), 128}, {}, nullptr});
  for (int64_t r = 0; r < 4; ++r) {
    for (int64_t a = 0; a < 128; ++a) {
      double should = 0;
      double size = 0;
      for (int64_t s = 0; s < 9; ++s) {
        const double g = from[r * 9 + s] * small.weight(a) *
                         gradient_of(Activation::tanh, small.q(r, a) + small.k(s, a));
        should += g;
        size += std::abs(g);
      }
      EXPECT_NEAR(dquery[r * 128 + a], should, 1e-5 * size + 1e-15);
    }
  }
}

TEST(AdditiveTiles, ANumberThatIsNoneSpoilsItsOwnRowOnly) {
  Dice dice(6);
  Case c = drawn({3, 6, 64}, dice, Spacing::dense);
  std::vector<double> query = c.query.values;
  query[(7 * 3 + 1) * 64 + 5] = std::numeric_limits<double>::quiet_NaN();
  c.query = laid(query, c.query.shape, cpu_place(), dice, Spacing::dense);
  const Results results = run(c);
  for (int64_t i = 0; i < 18; ++i) {
    EXPECT_EQ(std::isnan(results.e[i]), i / 6 == 1);
  }
}

TEST(AdditiveTiles, APairHasTheSameBitsInAnyBlock) {
  Dice dice(7);
  const Case c = drawn({13, 29, 128}, dice, Spacing::dense, 8, 0.001);
  const Results whole = run(c);
  for (const auto& [rows, slots] : {std::pair(1, 128), std::pair(5, 3), std::pair(32, 7)}) {
    EXPECT_EQ(run(c, rows, slots).e, whole.e);
  }
}

TEST(AdditiveTiles, BlocksMayBeginAnywhere) {
  Dice dice(8);
  const Case c = drawn({9, 14, 48}, dice, Spacing::strided);
  const Results whole = run(c);
  AdditiveTiles tiles(c.score(), Case::head);
  tiles.prepare({3, 6, 5, 9});
  float e[2 * 3];
  tiles.scores({4, 2, 7, 3}, {e, 3});
  for (int64_t i = 0; i < 6; ++i) {
    EXPECT_EQ(e[i], whole.e[(4 + i / 3) * 14 + 7 + i % 3]);
  }
}

TEST(AdditiveTiles, EveryTargetInTurn) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    SCOPED_TRACE(hwy::TargetName(target));
    Dice dice(9);
    for (const Shape& sizes : {Shape{3, 9, 130}, Shape{1, 6, 128}, Shape{40, 7, 64}}) {
      for (const double wide : {1.0, 5.0, 12.0}) {
        const Case c = drawn(sizes, dice, Spacing::dense, wide);
        expect_formula(c, run(c));
      }
    }
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace
}  // namespace heed::test::additive_tiles_test
