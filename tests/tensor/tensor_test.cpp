#include "heed/tensor/tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/backends.h"
#include "tests/support/tolerance.h"

namespace heed::tensor_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class Tensors : public ::testing::TestWithParam<Place> {};

TEST_P(Tensors, CastWhatTheyAreMadeOf) {
  const Tensor x = Tensor::of<int32_t>({1, 2, 3, 4}, {2, 2}, GetParam());
  EXPECT_EQ(x.place(), GetParam());
  EXPECT_THAT(x.values<float>(), ElementsAre(1, 2, 3, 4));
  const Tensor whole = Tensor::of<double>({1, -2}, {2}, GetParam().with(DType::i32));
  EXPECT_THAT(whole.values<int32_t>(), ElementsAre(1, -2));
  EXPECT_THROW(Tensor::of<double>({1, 2, 3}, {2}, GetParam()), Error);
}

TEST_P(Tensors, ReadRowMajorThroughAnyView) {
  const Tensor x = Tensor::of<double>({1, 2, 3, 4, 5, 6}, {2, 3}, GetParam());
  const Tensor turned = x.seen_as(transposed(x.view()));
  EXPECT_THAT(turned.values(), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_FALSE(turned.view().is_contiguous());
  EXPECT_TRUE(turned.dense().view().is_contiguous());
  EXPECT_THAT(turned.dense().values(), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_EQ(x.dense().view().data, x.view().data);
  EXPECT_NE(x.clone().view().data, x.view().data);
}

TEST_P(Tensors, KnowWhetherTheirMemoryIsTheirsAlone) {
  Tensor x = Tensor::zeros({2}, GetParam());
  EXPECT_TRUE(x.owns_memory_alone());
  {
    const Tensor other = x;
    EXPECT_FALSE(x.owns_memory_alone());
  }
  const Tensor seen = x.detached();
  EXPECT_FALSE(x.owns_memory_alone());
  x = {};
  EXPECT_TRUE(seen.owns_memory_alone());
}

TEST_P(Tensors, GiveTheirMemoryBack) {
  const CachingAllocator& allocator = GetParam().backend->allocator();
  const int64_t before = allocator.statistics().live_bytes;
  {
    const Tensor x = Tensor::zeros({1000}, GetParam());
    EXPECT_GE(allocator.statistics().live_bytes - before, 4000);
  }
  EXPECT_EQ(allocator.statistics().live_bytes, before);
}

TEST_P(Tensors, MayBeEmptyOrAScalar) {
  EXPECT_TRUE(Tensor::zeros({0, 3}, GetParam()).values().empty());
  EXPECT_EQ(Tensor::full({}, 2.5, GetParam()).item(), 2.5);
  EXPECT_EQ(Tensor::full({1, 1}, 2.5, GetParam()).item(), 2.5);
  EXPECT_THAT([] { Tensor::zeros({2}, GetParam()).item(); },
              ThrowsMessage<Error>(HasSubstr("needs one element")));
}

TEST_P(Tensors, DrawByTheirKey) {
  const RandomKey key{.seed = 1, .step = 2, .stream = 3};
  const auto draw = [](const Shape& shape, const RandomKey& k) {
    return Tensor::random(shape, Distribution::uniform, k, GetParam());
  };
  EXPECT_TRUE(test::same_bits(draw({4, 5}, key), draw({4, 5}, key)));
  EXPECT_FALSE(test::same_bits(draw({4, 5}, key), draw({4, 5}, {.seed = 1, .step = 2})));
  const auto few = draw({6}, key).values();
  const auto more = draw({2, 5}, key).values();
  EXPECT_TRUE(std::equal(few.begin(), few.end(), more.begin()));
}

TEST(Tensor, UndefinedSaysSo) {
  const Tensor nothing;
  EXPECT_FALSE(nothing.defined());
  EXPECT_FALSE(nothing.needs_gradient());
  EXPECT_THAT([&] { nothing.shape(); }, ThrowsMessage<Error>(HasSubstr("undefined")));
  EXPECT_THAT([&] { nothing.detached(); }, ThrowsMessage<Error>(HasSubstr("undefined")));
  EXPECT_THROW(Tensor::zeros({1}, Place{}), Error);
}

INSTANTIATE_TEST_SUITE_P(Everywhere, Tensors, ::testing::ValuesIn(test::places()),
                         test::name_of_place);

}  // namespace
}  // namespace heed::tensor_test
