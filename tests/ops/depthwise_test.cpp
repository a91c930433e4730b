#include <gtest/gtest.h>

#include "heed/ops/convolve.h"
#include "heed/ops/reshape.h"
#include "tests/support/backends.h"
#include "tests/support/tolerance.h"

namespace heed::test::depthwise_test {
namespace {

class DepthwiseConv : public ::testing::TestWithParam<Place> {};

INSTANTIATE_TEST_SUITE_P(Everywhere, DepthwiseConv, ::testing::ValuesIn(places()), name_of_place);

/// weight [K, C] as the weight [C, K, C] of a full convolution that mixes no channels.
Tensor diagonal(const Tensor& weight) {
  const int64_t taps = weight.size(0);
  const int64_t channels = weight.size(1);
  const std::vector<double> values = weight.values();
  std::vector<double> full(static_cast<size_t>(channels * taps * channels));
  for (int64_t c = 0; c < channels; ++c) {
    for (int64_t k = 0; k < taps; ++k) {
      full[static_cast<size_t>((c * taps + k) * channels + c)] =
          values[static_cast<size_t>(k * channels + c)];
    }
  }
  return Tensor::of(full, {channels, taps, channels}, weight.place());
}

TEST_P(DepthwiseConv, OverTimeIsAConvolutionThatMixesNoChannels) {
  const auto random = [](const Shape& shape, uint64_t number) {
    return Tensor::random(shape, Distribution::normal, {5, 0, number}, GetParam());
  };
  for (const int64_t taps : {1, 2, 3, 9}) {
    const int64_t left = (taps - 1) / 2;
    const Tensor x = random({2, 5, 3}, 1);
    const Tensor weight = random({taps, 3}, 2);
    const Tensor bias = random({3}, 3);
    for (const int64_t dilation : {1, 2}) {
      const GridWindows windows{
          1, taps, 1, Padding::across(left * dilation, (taps - 1 - left) * dilation), dilation};
      const Tensor expected =
          convolve(unsqueeze(x, 1), diagonal(weight), bias, {.windows = windows});
      const Tensor y = convolve_depthwise(unsqueeze(x, 1), weight, bias, windows);
      EXPECT_TRUE(close(y, expected, 64)) << taps << " taps, dilation " << dilation;
    }
  }
}

/// The kernel that gives the gradient of x where windows are one cell apart, against the shifted
/// products that give it elsewhere.
TEST_P(DepthwiseConv, TheGradientIsThatOfAConvolutionThatMixesNoChannels) {
  const auto random = [](const Shape& shape, uint64_t number) {
    return Tensor::random(shape, Distribution::normal, {7, 0, number}, GetParam());
  };
  for (const int64_t taps : {1, 2, 3, 9}) {
    const int64_t left = (taps - 1) / 2;
    const Tensor weight = random({taps, 37}, 2);
    const Tensor arriving = random({2, 21, 37}, 3);
    Tensor one = random({2, 21, 37}, 1);
    Tensor other = random({2, 21, 37}, 1);
    one.watch();
    other.watch();
    const GridWindows windows{1, taps, 1, Padding::across(left, taps - 1 - left)};
    const Tensor y = convolve_depthwise(unsqueeze(one, 1), weight, {}, windows);
    squeeze(y, 1).backward(arriving);
    squeeze(convolve(unsqueeze(other, 1), diagonal(weight), {}, {.windows = windows}), 1)
        .backward(arriving);
    EXPECT_TRUE(close(one.gradient(), other.gradient(), 256)) << taps << " taps";
  }
}

}  // namespace
}  // namespace heed::test::depthwise_test
