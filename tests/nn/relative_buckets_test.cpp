#include "heed/nn/relative_buckets.h"

#include "tests/nn/places.h"

namespace heed::test::relative_buckets_test {
namespace {

const Place place{&forced("reference"), DType::f64};

TEST(RelativeBucketsTest, AreThoseOfT5) {
  int met = 0;
  for (const FixtureCase& c : read_fixture("positions", place)) {
    if (!c.has("bucket")) {
      continue;
    }
    SCOPED_TRACE(c.name);
    const auto offset = c.tensor("offset").values<int32_t>();
    const auto bucket = c.tensor("bucket").values<int32_t>();
    const RelativeBuckets how{c.flag("bidirectional"), c.integer("buckets"), c.integer("distance")};
    for (size_t i = 0; i < offset.size(); ++i) {
      EXPECT_EQ(relative_bucket(offset[i], how), bucket[i]) << "offset " << offset[i];
    }
    ++met;
  }
  EXPECT_EQ(met, 4);
}

TEST(RelativeBucketsTest, IndexHasARowForEveryQuery) {
  const RelativeBuckets how{.is_bidirectional = false, .buckets = 4, .distance = 8};
  const Tensor queries = Tensor::of(std::vector<double>{0, 2}, {2, 1}, place);
  const Tensor index = relative_bucket_index(relative_bucket_table(how, place), queries, 4);
  EXPECT_EQ(index.dtype(), DType::i32);
  EXPECT_EQ(index.values<int32_t>(), (std::vector<int32_t>{0, 0, 0, 0, 2, 1, 0, 0}));
  EXPECT_THROW(relative_bucket_table({.buckets = 3}, place), Error);
}

/// However far a slot is away, the table has what the formula says.
TEST(RelativeBucketsTest, TheTableReachesEverywhere) {
  for (const bool both : {false, true}) {
    for (const auto& [buckets, distance] :
         {std::pair{4, 2}, {7, 3}, {32, 8}, {32, 128}, {6, 100}}) {
      const RelativeBuckets how{both, buckets, distance};
      const Tensor query = Tensor::of(std::vector<double>{300}, {1, 1}, place);
      const auto index =
          relative_bucket_index(relative_bucket_table(how, place), query, 600).values<int32_t>();
      for (int64_t j = 0; j < 600; ++j) {
        ASSERT_EQ(index[static_cast<size_t>(j)], relative_bucket(j - 300, how))
            << j << ' ' << buckets << ' ' << distance;
      }
    }
  }
}

TEST(RelativeBucketsTest, StayInRangeWhateverTheSettings) {
  for (const bool both : {false, true}) {
    for (int64_t buckets = 4; buckets < 40; ++buckets) {
      for (const int64_t distance : {1, 2, 3, 8, 16, 100}) {
        for (const int64_t offset : {-1000000, -17, -16, -9, -8, -3, 0, 1, 8, 30, 1000000}) {
          const int32_t bucket = relative_bucket(offset, {both, buckets, distance});
          EXPECT_GE(bucket, 0);
          EXPECT_LT(bucket, buckets);
        }
      }
    }
  }
}

}  // namespace
}  // namespace heed::test::relative_buckets_test
