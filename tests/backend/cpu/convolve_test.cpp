// The convolution kernels against seven loops in double, over strides, paddings and odd sizes.
#include "heed/device/kernel/convolve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "heed/base/thread_pool.h"
#include "tests/backend/cpu/each_target.h"
#include "tests/support/backends.h"
#include "tests/support/tolerance.h"

namespace heed::test::convolve_test {
namespace {

Place cpu() { return {&forced("cpu"), DType::f32}; }

Tensor normal(const Shape& shape, uint64_t number) {
  return Tensor::random(shape, Distribution::normal, {.seed = 3, .stream = number}, cpu());
}

struct Problem {
  int64_t pictures = 1;
  int64_t height = 5;
  int64_t width = 4;
  int64_t in = 3;
  int64_t out = 5;
  GridWindow window = {};
  int64_t down = 1;
  int64_t across = 1;
  AfterProduct after = AfterProduct::nothing;
  bool has_bias = true;

  std::string name() const {
    return fmt::format("{} of {} × {} × {} to {}, window {} × {} by {} from −{}, −{}", pictures,
                       height, width, in, out, window.height, window.width, window.stride,
                       window.top, window.left);
  }
};

double finished(double z, AfterProduct after) {
  z = after == AfterProduct::nothing ? z : std::max(z, 0.0);
  return after == AfterProduct::relu6 ? std::min(z, 6.0) : z;
}

/// term(u, v, input's cell, or −1 outside) for the windows' cells, summed.
template <class Term>
double sum_over_window(const Problem& p, int64_t i, int64_t j, const Term& term) {
  double sum = 0;
  for (int64_t u = 0; u < p.window.height; ++u) {
    for (int64_t v = 0; v < p.window.width; ++v) {
      const int64_t y = i * p.window.stride + u - p.window.top;
      const int64_t x = j * p.window.stride + v - p.window.left;
      if (y >= 0 && y < p.height && x >= 0 && x < p.width) {
        sum += term(u * p.window.width + v, y * p.width + x);
      }
    }
  }
  return sum;
}

/// By loops; `at(b, i, j, o)` is the sum of one result.
template <class Sum>
std::vector<double> by_loops(const Problem& p, const std::vector<double>& bias, const Sum& at) {
  std::vector<double> y;
  for (int64_t b = 0; b < p.pictures; ++b) {
    for (int64_t i = 0; i < p.down; ++i) {
      for (int64_t j = 0; j < p.across; ++j) {
        for (int64_t o = 0; o < p.out; ++o) {
          const double shift = p.has_bias ? bias[static_cast<size_t>(o)] : 0;
          y.push_back(finished(at(b, i, j, o) + shift, p.after));
        }
      }
    }
  }
  return y;
}

Tensor packed(const Tensor& weight) {
  size_t bytes = 0;
  cpu().backend->run_fused(PackStep{weight.view(), Precision::f32, {}, &bytes});
  const Tensor form = Tensor::empty({static_cast<int64_t>(bytes)}, cpu().with(DType::u8));
  cpu().backend->run_fused(PackStep{weight.view(), Precision::f32, form.view()});
  return form;
}

Tensor convolved(const Problem& p) {
  const Tensor x = normal({p.pictures, p.height, p.width, p.in}, 1);
  const Tensor weight = normal({p.out, p.window.height * p.window.width * p.in}, 2);
  const Tensor bias = normal({p.out}, 3);
  const Tensor y = Tensor::empty({p.pictures, p.down, p.across, p.out}, cpu());
  const Tensor form = packed(weight);
  EXPECT_TRUE(cpu().backend->run_fused(ConvolveStep{y.view(), x.view(), form.view(), p.window,
                                                    p.has_bias ? bias.view() : View{}, p.after}));
  return y;
}

void expect_convolved(const Problem& p) {
  SCOPED_TRACE(p.name());
  const std::vector<double> x = normal({p.pictures, p.height, p.width, p.in}, 1).values();
  const int64_t columns = p.window.height * p.window.width * p.in;
  const std::vector<double> w = normal({p.out, columns}, 2).values();
  const auto expected =
      by_loops(p, normal({p.out}, 3).values(), [&](int64_t b, int64_t i, int64_t j, int64_t o) {
        return sum_over_window(p, i, j, [&](int64_t cell, int64_t from) {
          double sum = 0;
          for (int64_t c = 0; c < p.in; ++c) {
            const int64_t at = (b * p.height * p.width + from) * p.in + c;
            sum +=
                w[static_cast<size_t>(o * columns + cell * p.in + c)] * x[static_cast<size_t>(at)];
          }
          return sum;
        });
      });
  EXPECT_TRUE(close(convolved(p), expected, columns));
}

Tensor convolved_depthwise(const Problem& p) {
  const Tensor x = normal({p.pictures, p.height, p.width, p.in}, 1);
  const Tensor weight = normal({p.window.height * p.window.width, p.in}, 2);
  const Tensor bias = normal({p.in}, 3);
  const Tensor y = Tensor::empty({p.pictures, p.down, p.across, p.in}, cpu());
  EXPECT_TRUE(cpu().backend->run_fused(DepthwiseStep{y.view(), x.view(), weight.view(), p.window,
                                                     p.has_bias ? bias.view() : View{}, p.after}));
  return y;
}

void expect_depthwise(Problem p) {
  p.out = p.in;
  SCOPED_TRACE(p.name());
  const std::vector<double> x = normal({p.pictures, p.height, p.width, p.in}, 1).values();
  const std::vector<double> w = normal({p.window.height * p.window.width, p.in}, 2).values();
  const auto expected =
      by_loops(p, normal({p.in}, 3).values(), [&](int64_t b, int64_t i, int64_t j, int64_t c) {
        return sum_over_window(p, i, j, [&](int64_t cell, int64_t from) {
          return w[static_cast<size_t>(cell * p.in + c)] *
                 x[static_cast<size_t>((b * p.height * p.width + from) * p.in + c)];
        });
      });
  EXPECT_TRUE(close(convolved_depthwise(p), expected, p.window.height * p.window.width));
}

/// Windows over grids of odd sizes, with zeros before and after.
std::vector<Problem> problems() {
  std::vector<Problem> all;
  for (const int64_t stride : {1, 2, 3}) {
    for (const int64_t border : {0, 1, 2}) {
      Problem p{.pictures = 2, .height = 7, .width = 13, .in = 17, .out = 37};
      p.window = {3, 3, stride, border, border};
      p.down = (p.height + 2 * border - 3) / stride + 1;
      p.across = (p.width + 2 * border - 3) / stride + 1;
      p.after = border == 1 ? AfterProduct::relu6 : AfterProduct::relu;
      p.has_bias = stride != 3;
      all.push_back(p);
    }
  }
  Problem after_only{.height = 6, .width = 8, .in = 3, .out = 8};  // as SAME at stride 2
  after_only.window = {3, 3, 2, 0, 0};
  after_only.down = 3;
  after_only.across = 4;
  all.push_back(after_only);
  Problem wide_window{.height = 3, .width = 2, .in = 5, .out = 4};  // larger than the grid
  wide_window.window = {5, 7, 1, 2, 3};
  wide_window.down = 3;
  wide_window.across = 2;
  all.push_back(wide_window);
  Problem cells{.pictures = 3, .height = 2, .width = 5, .in = 33, .out = 129};
  cells.down = 2;
  cells.across = 5;
  all.push_back(cells);
  return all;
}

TEST(ConvolveKernel, EqualsLoopsInDouble) {
  for (const Problem& p : problems()) {
    expect_convolved(p);
  }
  Problem many{.height = 31, .width = 29, .in = 3, .out = 5};  // several blocks of rows
  many.window = {3, 3, 1, 1, 1};
  many.down = 31;
  many.across = 29;
  expect_convolved(many);
  many.window = {};
  many.after = AfterProduct::relu;
  expect_convolved(many);
}

TEST(DepthwiseKernel, EqualsLoopsInDouble) {
  const RanOn guard(forced("cpu"));
  on_each_target([] {
    for (Problem p : problems()) {
      expect_depthwise(p);
      p.in = 64;
      expect_depthwise(p);
    }
  });
}

TEST(DepthwiseKernel, DeclinesWhatItCannotFinish) {
  const Tensor x = normal({1, 3, 3, 4}, 1);
  const Tensor y = Tensor::empty({1, 3, 3, 4}, cpu());
  const Tensor weight = normal({1, 4}, 2);
  const DepthwiseStep step{y.view(), x.view(), weight.view(), {}, {}, AfterProduct::gelu};
  EXPECT_FALSE(cpu().backend->run_fused(step));
}

TEST(ConvolveKernels, RefuseViewsThatDoNotFit) {
  const Tensor x = normal({1, 3, 4, 4}, 1);
  const Tensor y = Tensor::empty({1, 3, 4, 4}, cpu());
  const Tensor weight = normal({1, 4}, 2);
  const Tensor form = packed(normal({4, 4}, 3));
  const View turned = transposed(x.view(), 1, 2);
  EXPECT_THROW(cpu().backend->run_fused(ConvolveStep{y.view(), turned, form.view(), {}}), Error);
  EXPECT_THROW(cpu().backend->run_fused(DepthwiseStep{y.view(), turned, weight.view(), {}}), Error);
  const Tensor narrow = normal({1, 3}, 2);
  EXPECT_THROW(cpu().backend->run_fused(DepthwiseStep{y.view(), x.view(), narrow.view(), {}}),
               Error);
}

/// The same bits on any number of threads.
TEST(ConvolveKernels, DoNotDependOnThreads) {
  Problem p{.pictures = 2, .height = 40, .width = 40, .in = 16, .out = 48};
  p.window = {3, 3, 1, 1, 1};
  p.down = 40;
  p.across = 40;
  Problem few{.height = 10, .width = 10, .in = 48, .out = 160};
  few.window = {3, 3, 2, 0, 0};
  few.down = 5;
  few.across = 5;
  const int before = threads();
  set_threads(1);
  const Tensor alone[] = {convolved(p), convolved(few), convolved_depthwise(p)};
  for (const int count : {2, 3, 8}) {
    set_threads(count);
    EXPECT_TRUE(same_bits(convolved(p), alone[0]));
    EXPECT_TRUE(same_bits(convolved(few), alone[1]));
    EXPECT_TRUE(same_bits(convolved_depthwise(p), alone[2]));
  }
  set_threads(before);
}

/// A picture's results do not depend on the others of its batch.
TEST(ConvolveKernels, APictureHasTheSameBitsInABatch) {
  Problem p{.pictures = 3, .height = 20, .width = 20, .in = 16, .out = 24};
  p.window = {3, 3, 1, 1, 1};
  p.down = 20;
  p.across = 20;
  const Tensor batch = convolved(p);
  p.pictures = 1;  // the first of the same numbers
  EXPECT_TRUE(same_bits(convolved(p), batch.seen_as(sliced(batch.view(), 0, 0, 1))));
}

}  // namespace
}  // namespace heed::test::convolve_test
