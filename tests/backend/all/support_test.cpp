// Tests of the test support itself: tolerances and guards must be able to fail.
#include <gtest/gtest-spi.h>

#include <cmath>
#include <limits>

#include "tests/support/backends.h"
#include "tests/support/fixture.h"
#include "tests/support/tolerance.h"

namespace heed::test::support_test {
namespace {

Place reference_f64() { return {&forced("reference"), DType::f64}; }

TEST(Support, PlacesNameEveryBackendAndType) {
  std::vector<std::string> names;
  for (const Place& place : places()) {
    names.push_back(to_string(place));
  }
  EXPECT_EQ(std::count(names.begin(), names.end(), "reference_f32"), 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), "reference_f64"), 1);
}

TEST(Support, ForcedRefusesWhatIsNotThere) { EXPECT_THROW(forced("abacus"), Error); }

TEST(Support, CloseSeesDifferences) {
  const Place place = reference_f64();
  const Tensor a = Tensor::of(std::vector<double>{1, 2, 3}, {3}, place);
  EXPECT_TRUE(close(a, a));
  EXPECT_FALSE(close(a, Tensor::of(std::vector<double>{1, 2, 3.0001}, {3}, place)));
  EXPECT_FALSE(close(a, Tensor::of(std::vector<double>{1, 2, 3}, {1, 3}, place)));
  EXPECT_FALSE(close(a, std::vector<double>{1, 2}));
  const auto seen = close(a, std::vector<double>{1, 5, 3});
  EXPECT_NE(std::string(seen.message()).find("element 1: 2, expected 5"), std::string::npos);
}

TEST(Support, CloseKnowsInfinitiesAndNaN) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> odd = {infinity, -infinity, std::nan("")};
  EXPECT_TRUE(close(odd, odd, {1, 1}));
  EXPECT_FALSE(close(odd, std::vector<double>{-infinity, -infinity, odd[2]}, {1, 1}));
  EXPECT_FALSE(close(odd, std::vector<double>{infinity, -infinity, 0}, {1, 1}));
  EXPECT_FALSE(close(odd, std::vector<double>{1e300, -infinity, odd[2]}, {1, 1}));
}

TEST(Support, ToleranceWidensWithLengthAndNarrowsWithType) {
  EXPECT_LT(tolerance(DType::f32, 1).relative, tolerance(DType::f32, 100).relative);
  EXPECT_LT(tolerance(DType::f64, 1).relative, tolerance(DType::f32, 1).relative);
  EXPECT_EQ(tolerance(DType::i32, 100).absolute, 0);
}

TEST(Support, SameBitsSeesOneBit) {
  const Place place = reference_f64();
  const Tensor a = Tensor::of(std::vector<double>{1, 0}, {2}, place);
  EXPECT_TRUE(same_bits(a, a));
  EXPECT_FALSE(same_bits(a, Tensor::of(std::vector<double>{std::nextafter(1, 2), 0}, {2}, place)));
  EXPECT_FALSE(same_bits(a, Tensor::of(std::vector<double>{1, -0.0}, {2}, place)));
}

TEST(Support, RanOnSoundsWhereNothingRan) {
  EXPECT_NONFATAL_FAILURE({ const RanOn guard(forced("reference")); }, "nothing ran on reference");
  const RanOn guard(forced("reference"));
  Tensor::zeros({2}, reference_f64());
}

TEST(Support, FixturesBecomeTensors) {
  const auto cases = read_fixture("layer_norm", reference_f64());
  ASSERT_FALSE(cases.empty());
  EXPECT_GT(cases[0].number("eps"), 0);
  EXPECT_EQ(cases[0].tensor("x").shape(), cases[0].tensor("y").shape());
  EXPECT_FALSE(cases[0].has("nonsense"));
  EXPECT_THROW(cases[0].tensor("nonsense"), Error);
  EXPECT_THROW(cases[0].text("nonsense"), Error);
  EXPECT_THROW(read_fixture("nonsense", reference_f64()), Error);
}

}  // namespace
}  // namespace heed::test::support_test
