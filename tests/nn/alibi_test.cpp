#include "heed/nn/alibi.h"

#include "tests/nn/places.h"

namespace heed::test::alibi_test {
namespace {

TEST(AlibiTest, SlopesAreThoseOfThePaper) {
  const Place place{&forced("reference"), DType::f64};
  int met = 0;
  for (const FixtureCase& c : read_fixture("positions", place)) {
    if (c.has("slopes")) {
      EXPECT_TRUE(
          close(alibi_slopes(c.integer("heads")), c.tensor("slopes").values(), {.relative = 1e-14}))
          << c.name;
      ++met;
    }
  }
  EXPECT_EQ(met, 6);
}

TEST(AlibiTest, EightHeadsHalveFromOneHalf) {
  const std::vector<double> eight = {0.5,     0.25,     0.125,     0.0625,
                                     0.03125, 0.015625, 0.0078125, 0.00390625};
  EXPECT_EQ(alibi_slopes(8), eight);
  EXPECT_THROW(alibi_slopes(0), Error);
}

}  // namespace
}  // namespace heed::test::alibi_test
