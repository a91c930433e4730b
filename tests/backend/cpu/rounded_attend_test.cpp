// Compares attention in bf16 with attention in f32, whose own tests compare it with the definition.
// Every bf16 tile kernel of this CPU is used in turn, and loops stand in for the layouts of those
// it may not have (BFMMLA, AVX512-BF16, AMX).
#include "heed/backend/cpu/attend/rounded_attend.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "heed/base/thread_pool.h"
#include "tests/support/backends.h"
#include "tests/support/layout.h"
#include "tests/support/tolerance.h"

namespace heed::test::rounded_attend_test {
namespace {

using cpu::Element;
using cpu::SizedTile;
using cpu::Tile;
using cpu::TileKernel;

Place cpu_place() { return {&forced("cpu"), DType::f32}; }

float widened(uint16_t x) { return std::bit_cast<float>(static_cast<uint32_t>(x) << 16); }

/// tile.h's formula, as it stands there.
template <int64_t rows, int64_t columns, int64_t depth, int64_t row_depth>
void by_loops(const Tile& tile) {
  const auto* a = static_cast<const uint16_t*>(tile.a);
  const auto* b = static_cast<const uint16_t*>(tile.b);
  for (int64_t r = 0; r < std::min(rows, tile.rows); ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      float sum = 0;
      for (int64_t k = 0; k < tile.k; ++k) {
        sum += widened(a[(k / row_depth * rows + r) * row_depth + k % row_depth]) *
               widened(b[(k / depth * columns + c) * depth + k % depth]);
      }
      static_cast<float*>(tile.out)[r * tile.out_row + c] = sum;
    }
  }
}

bool always() { return true; }

constexpr SizedTile like_bfmmla[] = {
    {8, by_loops<8, 12, 4, 4>}, {4, by_loops<4, 12, 4, 4>}, {2, by_loops<2, 12, 4, 4>}};
constexpr SizedTile like_avx512[] = {{12, by_loops<12, 16, 2, 2>},
                                     {8, by_loops<8, 16, 2, 2>},
                                     {4, by_loops<4, 16, 2, 2>},
                                     {2, by_loops<2, 16, 2, 2>},
                                     {1, by_loops<1, 16, 2, 2>}};
constexpr SizedTile like_amx[] = {{32, by_loops<32, 32, 2, 32>}, {16, by_loops<16, 32, 2, 32>}};

constexpr Element bf16 = Element::bf16;
constexpr TileKernel imagined[] = {
    {"like_bfmmla", Precision::bf16, bf16, bf16, 12, 4, 4, 8, false, always, like_bfmmla},
    {"like_avx512", Precision::bf16, bf16, bf16, 16, 2, 2, 8, false, always, like_avx512},
    {"like_amx", Precision::bf16, bf16, bf16, 32, 2, 32, 32, false, always, like_amx},
};

std::vector<const TileKernel*> kernels() {
  std::vector<const TileKernel*> all;
  for (const TileKernel* each : cpu::tile_kernels()) {
    if (each->precision == Precision::bf16 && each->is_available()) {
      all.push_back(each);
    }
  }
  for (const TileKernel& each : imagined) {
    all.push_back(&each);
  }
  return all;
}

struct Sizes {
  int64_t rows, slots, pair_width, width;
};

enum class Sees { everything, causal, window, nothing_at_times };

/// Two memories, two groups of two heads; rows and slots of the heads lie side by side.
class Scene {
 public:
  Scene(Sizes s, Sees sees, const LoweredNormaliser& normaliser) : s_(s) {
    step_.score.query = heads(s.rows, s.pair_width, 1);
    step_.score.keys = groups(s.slots, s.pair_width, 2);
    step_.score.kind = DotPairs{1 / std::sqrt(static_cast<double>(s.pair_width))};
    step_.values = groups(s.slots, s.width, 3);
    step_.normaliser = normaliser;
    step_.precision = Precision::bf16;
    std::vector<float> lo, hi, count;
    for (int64_t i = 0; i < 8 * s.rows; ++i) {
      const int64_t row = i % s.rows;
      const auto [first, last] = range(row, sees);
      lo.push_back(static_cast<float>(first));
      hi.push_back(static_cast<float>(last));
      count.push_back(static_cast<float>(std::max<int64_t>(0, last - first)));
    }
    const Shape rows{2, 2, 2, s.rows};
    step_.where.lo = kept(Tensor::of(lo, rows, cpu_place()));
    step_.where.hi = kept(Tensor::of(hi, rows, cpu_place()));
    step_.where.count = kept(Tensor::of(count, rows, cpu_place()));
    dcontext_ = heads(s.rows, s.width, 4);
  }

  bool keeps_weights = false;  // from the forward pass to the backward

  /// The context, and after it dQ, dK, dV where they are asked for.
  std::vector<Tensor> seen(const TileKernel* kernel, bool with_gradients) {
    const Tensor context = Tensor::full({2, 2, 2, s_.rows, s_.width}, 7, cpu_place());
    const Tensor state = Tensor::full({2, 2, 2, s_.rows, 2}, 7, cpu_place());
    step_.context = context.view();
    step_.state = state.view();
    const Tensor weights =
        keeps_weights ? Tensor::full({2, 2, 2, s_.rows, s_.slots}, 7, cpu_place()) : Tensor();
    step_.report.weights = keeps_weights ? weights.view() : View();
    if (kernel != nullptr) {
      cpu::attend_rounded(step_, *kernel);
    } else {
      step_.precision = Precision::f32;
      forced("cpu").run_fused(step_);
    }
    std::vector<Tensor> out = {context};
    if (with_gradients) {
      out.push_back(Tensor::full({2, 2, 2, s_.rows, s_.pair_width}, 7, cpu_place()));
      out.push_back(Tensor::full({2, 2, s_.slots, s_.pair_width}, 1, cpu_place()));
      out.push_back(Tensor::full({2, 2, s_.slots, s_.width}, 1, cpu_place()));
      AttendGradient gradient;
      gradient.step = step_;
      gradient.dcontext = dcontext_;
      gradient.dquery = out[1].view();
      gradient.dkeys = out[2].view();
      gradient.dvalues = out[3].view();
      if (kernel != nullptr) {
        cpu::attend_gradient_rounded(gradient, *kernel);
      } else {
        forced("cpu").run_fused(gradient);
      }
    }
    return out;
  }

 private:
  std::pair<int64_t, int64_t> range(int64_t row, Sees sees) const {
    switch (sees) {
      case Sees::everything:
        return {0, s_.slots};
      case Sees::causal:
        return {0, std::min(s_.slots, row + 1)};
      case Sees::window:
        return {std::max<int64_t>(0, row - 9), std::min(s_.slots, row + 6)};
      case Sees::nothing_at_times:
        return row % 3 == 1 || row / 8 == 2 ? std::pair<int64_t, int64_t>{0, 0}
                                            : std::pair{std::min(s_.slots, row / 2), s_.slots};
    }
    return {0, 0};
  }
  View kept(const Tensor& x) {
    kept_.push_back(x);
    return x.view();
  }
  View heads(int64_t rows, int64_t width, uint64_t number) {
    const View laid = kept(
        Tensor::random({2, rows, 2, 2, width}, Distribution::normal, {1, 0, number}, cpu_place()));
    return permuted(laid, std::array{0, 2, 3, 1, 4});
  }
  View groups(int64_t slots, int64_t width, uint64_t number) {
    const View laid = kept(
        Tensor::random({2, slots, 2, width}, Distribution::normal, {1, 0, number}, cpu_place()));
    return permuted(laid, std::array{0, 2, 1, 3});
  }

  Sizes s_;
  AttendStep step_;
  View dcontext_;
  std::vector<Tensor> kept_;
};

class RoundedAttend : public ::testing::TestWithParam<const TileKernel*> {
 protected:
  static void check(Sizes s, Sees sees, const LoweredNormaliser& normaliser) {
    SCOPED_TRACE(fmt::format("{} × {}, {} and {} wide, sees {}", s.rows, s.slots, s.pair_width,
                             s.width, static_cast<int>(sees)));
    // An element that rounding moves into or out of the support has another gradient.
    const auto* streaming = std::get_if<Streaming>(&normaliser);
    const bool has_gradients = streaming != nullptr && streaming->kind != Streaming::Kind::relu;
    Scene scene(s, sees, normaliser);
    const std::vector<Tensor> got = scene.seen(GetParam(), has_gradients);
    const std::vector<Tensor> expected = scene.seen(nullptr, has_gradients);
    for (size_t i = 0; i < got.size(); ++i) {
      const double rows_a_slot = static_cast<double>(s.rows) / static_cast<double>(s.slots);
      const double size = i < 2 ? (streaming == nullptr ? 2 : 1) : std::sqrt(rows_a_slot) + 1;
      EXPECT_TRUE(close(got[i], expected[i], scaled(bf16_tolerance(s.slots), size))) << "of " << i;
    }
  }
};

const Streaming softmax = {};

TEST_P(RoundedAttend, IsAsInF32) {
  for (const Sizes s : {Sizes{1, 1, 1, 1}, {17, 33, 8, 8}, {19, 5, 7, 3}, {33, 70, 64, 64}}) {
    for (const Sees sees : {Sees::everything, Sees::causal, Sees::window, Sees::nothing_at_times}) {
      check(s, sees, softmax);
    }
  }
}

TEST_P(RoundedAttend, IsAsInF32OverSeveralBlocksAndWindows) {
  check({131, 67, 36, 20}, Sees::causal, softmax);
  check({70, 523, 16, 24}, Sees::everything, softmax);
  check({70, 523, 16, 24}, Sees::nothing_at_times, softmax);
  check({530, 531, 8, 12}, Sees::window, softmax);
}

TEST_P(RoundedAttend, NeedNotMakeWeightsAgain) {
  for (const Sees sees : {Sees::everything, Sees::causal, Sees::window, Sees::nothing_at_times}) {
    for (const Sizes s : {Sizes{33, 70, 24, 20}, {70, 301, 8, 8}}) {
      Scene scene(s, sees, softmax);
      const std::vector<Tensor> again = scene.seen(GetParam(), true);
      scene.keeps_weights = true;
      const std::vector<Tensor> kept = scene.seen(GetParam(), true);
      for (size_t i = 0; i < kept.size(); ++i) {
        EXPECT_TRUE(close(kept[i], again[i], 1024)) << s.rows << " rows, of " << i;
      }
    }
  }
}

TEST_P(RoundedAttend, TakesEveryNormaliser) {
  for (const Sees sees : {Sees::everything, Sees::causal, Sees::nothing_at_times}) {
    check({21, 37, 20, 12}, sees,
          Streaming{Streaming::Kind::relu, 0.5, false, Streaming::Divide::count});
    check({21, 37, 20, 12}, sees,
          Streaming{Streaming::Kind::sigmoid, 0, true, Streaming::Divide::nothing});
    check({21, 37, 20, 12}, sees, Threshold{1.5, 0});
    check({21, 37, 20, 12}, sees, Threshold{2, 0});
  }
}

TEST_P(RoundedAttend, SameBitsOnAnyThreads) {
  const int before = threads();
  Scene scene({150, 131, 16, 16}, Sees::causal, softmax);
  set_threads(1);
  const std::vector<Tensor> alone = scene.seen(GetParam(), true);
  for (const int count : {2, 3, 8}) {
    set_threads(count);
    const std::vector<Tensor> together = scene.seen(GetParam(), true);
    for (size_t i = 0; i < alone.size(); ++i) {
      EXPECT_TRUE(same_bits(together[i], alone[i])) << count << " threads, of " << i;
    }
  }
  set_threads(before);
}

INSTANTIATE_TEST_SUITE_P(Every, RoundedAttend, ::testing::ValuesIn(kernels()),
                         [](const auto& info) { return std::string(info.param->name); });

/// Where the CPU multiplies bf16 that is what `attend` does; few rows, additive scores and f32 are
/// not rounded.
TEST(RoundedAttendChoice, IsMadeByPrecisionScoreAndRows) {
  AttendStep step;
  step.precision = Precision::bf16;
  step.score.kind = DotPairs{1};
  step.score.query.shape = {1, 1, 1, 64, 8};
  const bool has_bf16 = cpu::tile_kernel(Precision::bf16).rows == Element::bf16;
  EXPECT_EQ(cpu::rounding_kernel(step) != nullptr, has_bf16);
  step.score.query.shape = {1, 1, 1, 1, 8};
  EXPECT_EQ(cpu::rounding_kernel(step), nullptr);
  step.score.query.shape = {1, 1, 1, 64, 8};
  step.precision = Precision::f32;
  EXPECT_EQ(cpu::rounding_kernel(step), nullptr);
  step.precision = Precision::bf16;
  step.score.kind = AdditivePairs{};
  EXPECT_EQ(cpu::rounding_kernel(step), nullptr);
}

}  // namespace
}  // namespace heed::test::rounded_attend_test
