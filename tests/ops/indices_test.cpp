// Rows by number and by length, against values written out by hand.
#include "heed/ops/embedding.h"
#include "heed/ops/gather.h"
#include "heed/ops/lengths.h"
#include "tests/support/backends.h"
#include "tests/support/tolerance.h"

namespace heed::test::indices_test {
namespace {

using Values = std::vector<double>;
using Numbers = std::vector<int32_t>;

class Indices : public ::testing::TestWithParam<Place> {
 protected:
  static Tensor real(const Values& values, const Shape& shape) {
    return Tensor::of(values, shape, GetParam());
  }
  static Tensor whole(const Numbers& values, const Shape& shape) {
    return Tensor::of(values, shape, GetParam().with(DType::i32));
  }
};

INSTANTIATE_TEST_SUITE_P(Everywhere, Indices, ::testing::ValuesIn(places()), name_of_place);

TEST_P(Indices, ChooseRows) {
  const Tensor x = real({1, 2, 3, 4, 5, 6}, {3, 2});
  EXPECT_EQ(gather_rows(x, whole({2, -1, 0}, {3})).values(), (Values{5, 6, 0, 0, 1, 2}));
  const Tensor batch = real({1, 2, 3, 4, 5, 6}, {2, 3, 1});
  EXPECT_EQ(gather_rows(batch, whole({2, 2, 0, -1}, {2, 2})).values(), (Values{3, 3, 4, 0}));
  EXPECT_EQ(embedding(x, whole({1, -1, 1, 0}, {2, 1, 2})).shape(), (Shape{2, 1, 2, 2}));
  EXPECT_EQ(embedding(x, whole({1, -1}, {1, 2})).values(), (Values{3, 4, 0, 0}));
}

TEST_P(Indices, PickTakesOne) {
  const Tensor x = real({1, 2, 3, 4, 5, 6}, {3, 2});
  EXPECT_EQ(pick(x, whole({1, -1, 0}, {3})).values(), (Values{2, 0, 5}));
}

TEST_P(Indices, MasksAndPositions) {
  EXPECT_EQ(positions(7, GetParam()).values(), (Values{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(positions(5, GetParam().with(DType::i32)).values<int32_t>(), (Numbers{0, 1, 2, 3, 4}));
  EXPECT_EQ(positions(0, GetParam()).numel(), 0);
  EXPECT_EQ(mask_of_lengths(whole({0, 2, 3}, {3}), 3, GetParam().dtype).values(),
            (Values{0, 0, 0, 1, 1, 0, 1, 1, 1}));
}

TEST_P(Indices, SayWhatDoesNotFit) {
  const Tensor x = real({1, 2, 3, 4, 5, 6}, {3, 2});
  EXPECT_THROW(gather_rows(x, whole({0}, {1, 1})), Error);
  EXPECT_THROW(gather_rows(x, real({0}, {1})), Error);
  EXPECT_THROW(pick(x, whole({0}, {1})), Error);
  EXPECT_THROW(embedding(real({1}, {1}), whole({0}, {1})), Error);
  EXPECT_THROW(mask_of_lengths(real({1}, {1}), 2, GetParam().dtype), Error);
  EXPECT_THROW(gather_rows(x, whole({3}, {1})).values(), Error);
}

}  // namespace
}  // namespace heed::test::indices_test
