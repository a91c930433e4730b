#include "heed/see/upsample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "heed/base/error.h"

namespace heed::test::upsample_test {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

TEST(Upsampling, InterpolatesBetweenTheMiddlesOfCells) {
  const std::vector<float> rise = {0, 1};
  const std::vector<float> level = {7, 7};
  // The middles of the pixels lie at −¼, ¼, ¾ and 1¼ cells from the middle of the first cell.
  EXPECT_THAT(upsampled(rise, {1, 2}, {1, 4}), ElementsAre(0, 0.25, 0.75, 1));
  EXPECT_THAT(upsampled(rise, {1, 2}, {2, 2}), ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(upsampled(level, {1, 2}, {1, 3}), ElementsAre(7, 7, 7));
  EXPECT_THAT(upsampled(rise, {2, 1}, {4, 1}), ElementsAre(0, 0.25, 0.75, 1));
}

/// Kernels exp(−2 d²) for the distances of a pixel to the two cells.
TEST(Upsampling, SmoothsByAGaussian) {
  const std::vector<float> rise = {0, 1};
  const auto share = [](double place) {
    const double first = std::exp(-2 * place * place);
    const double second = std::exp(-2 * (place - 1) * (place - 1));
    return second / (first + second);
  };
  const auto near = [&](double place) { return DoubleNear(share(place), 1e-12); };
  EXPECT_THAT(upsampled(rise, {1, 2}, {1, 4}, Upsampling::gaussian),
              ElementsAre(near(-0.25), near(0.25), near(0.75), near(1.25)));
  EXPECT_THAT(upsampled(rise, {2, 1}, {1, 1}, Upsampling::gaussian), ElementsAre(near(0.5)));
  const std::vector<float> level(12, 3);
  for (const double pixel : upsampled(level, {3, 4}, {7, 5}, Upsampling::gaussian)) {
    EXPECT_NEAR(pixel, 3, 1e-12);
  }
}

TEST(Upsampling, KeepsWhatIsNoNumberAndRefusesOtherGrids) {
  const std::vector<float> odd = {0, std::numeric_limits<float>::quiet_NaN()};
  const std::vector<double> pixels = upsampled(odd, {1, 2}, {1, 2});
  EXPECT_EQ(pixels[0], 0);
  EXPECT_TRUE(std::isnan(pixels[1]));
  EXPECT_THROW(upsampled(odd, {2, 2}, {1, 1}), Error);
  EXPECT_THROW(upsampled(odd, {1, 2}, {0, 1}), Error);
  EXPECT_THROW(upsampled({}, {0, 0}, {1, 1}), Error);
}

}  // namespace
}  // namespace heed::test::upsample_test
