#include "heed/ops/depthwise.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/ops/conv1d.h"
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

TEST_P(DepthwiseConv, IsAConvolutionThatMixesNoChannels) {
  const auto random = [](const Shape& shape, uint64_t number) {
    return Tensor::random(shape, Distribution::normal, {5, 0, number}, GetParam());
  };
  for (const int64_t taps : {1, 2, 3, 9}) {
    for (const int64_t left : {int64_t{0}, (taps - 1) / 2, taps - 1}) {
      Tensor x = random({2, 5, 3}, 1);
      const Tensor weight = random({taps, 3}, 2);
      const Tensor bias = random({3}, 3);
      const Tensor expected =
          conv1d(x, diagonal(weight), bias, {.pad_left = left, .pad_right = taps - 1 - left});
      EXPECT_TRUE(close(depthwise_conv1d(x, weight, bias, left), expected, 64))
          << taps << " taps, " << left;
    }
  }
}

TEST_P(DepthwiseConv, ExplainsWhatItNeeds) {
  const Tensor x = Tensor::zeros({2, 4, 3}, GetParam());
  EXPECT_THROW(depthwise_conv1d(x, Tensor::zeros({3, 2}, GetParam()), {}, 1), Error);
  EXPECT_THROW(depthwise_conv1d(x, Tensor::zeros({3, 3}, GetParam()), {}, 3), Error);
  EXPECT_THROW(
      depthwise_conv1d(x, Tensor::zeros({3, 3}, GetParam()), Tensor::zeros({2}, GetParam()), 1),
      Error);
  EXPECT_EQ(depthwise_conv1d(Tensor::zeros({2, 0, 3}, GetParam()),
                             Tensor::zeros({3, 3}, GetParam()), {}, 1)
                .shape(),
            (Shape{2, 0, 3}));
}

}  // namespace
}  // namespace heed::test::depthwise_test
