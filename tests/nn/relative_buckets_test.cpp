#include "heed/nn/relative_buckets.h"

#include "tests/nn/places.h"

namespace heed::test {
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
  const std::vector<int32_t> queries = {0, 2};
  const Tensor index = relative_bucket_index(queries, 4, how, place);
  EXPECT_EQ(index.shape(), (Shape{2, 4}));
  EXPECT_EQ(index.dtype(), DType::i32);
  EXPECT_EQ(index.values<int32_t>(), (std::vector<int32_t>{0, 0, 0, 0, 2, 1, 0, 0}));
  EXPECT_THROW(relative_bucket_index(queries, 4, {.buckets = 3}, place), Error);
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
}  // namespace heed::test
