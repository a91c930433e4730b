#include "heed/tensor/tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

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

/// Tensors over memory that somebody else made, on the backends that compute in the host's memory.
class ForeignTensors : public ::testing::TestWithParam<const char*> {
 protected:
  Backend& backend() { return test::forced(GetParam()); }
};

TEST_P(ForeignTensors, SeeItWithItsStridesAndGiveItBackOnce) {
  std::vector<float> theirs = {1, 2, 3, 4, 5, 6};
  int released = 0;
  View view = dense_view(theirs.data(), DType::f32, {3, 2});
  view.strides = {1, 3};  // columns lie behind one another
  const int64_t live = backend().allocator().statistics().live_bytes;
  {
    const Tensor x = Tensor::over(view, backend(), [&] { ++released; });
    EXPECT_EQ(x.view().data, theirs.data());
    EXPECT_THAT(x.values(), ElementsAre(1, 4, 2, 5, 3, 6));
    theirs[1] = 7;
    EXPECT_THAT(x.values(), ElementsAre(1, 4, 7, 5, 3, 6)) << "it is the same memory";
    const Tensor turned = x.seen_as(transposed(x.view()));
    EXPECT_EQ(backend().allocator().statistics().live_bytes, live);
    EXPECT_EQ(released, 0);
    EXPECT_FALSE(x.owns_memory_alone());
    EXPECT_NE(x.dense().view().data, theirs.data());
  }
  EXPECT_EQ(released, 1);
}

TEST_P(ForeignTensors, MayLieBackwardsAndRepeat) {
  std::array<int32_t, 3> theirs = {1, 2, 3};
  View view = dense_view(&theirs[2], DType::i32, {2, 3});
  view.strides = {0, -1};
  const Tensor x = Tensor::over(view, backend(), {});
  EXPECT_THAT(x.values<int32_t>(), ElementsAre(3, 2, 1, 3, 2, 1));
}

TEST_P(ForeignTensors, LiveAsLongAsWhatSeesThem) {
  std::vector<float> theirs = {1, 2};
  bool is_released = false;
  Tensor seen;
  {
    const Tensor x = Tensor::over(dense_view(theirs.data(), DType::f32, {2}), backend(),
                                  [&] { is_released = true; });
    seen = x.seen_as(sliced(x.view(), 0, 1, 1));
  }
  EXPECT_FALSE(is_released);
  EXPECT_FALSE(seen.owns_memory_alone());
  EXPECT_EQ(seen.item(), 2);
  seen = {};
  EXPECT_TRUE(is_released);
}

TEST_P(ForeignTensors, RefuseWhatNoKernelReads) {
  std::array<int32_t, 4> theirs{};
  int released = 0;
  const auto over = [&](const View& view) {
    return Tensor::over(view, backend(), [&] { ++released; });
  };
  const View between = dense_view(reinterpret_cast<char*>(theirs.data()) + 2, DType::i32, {2});
  EXPECT_THAT([&] { over(between); }, ThrowsMessage<Error>(HasSubstr("not aligned to its i32")));
  EXPECT_THAT([&] { over(dense_view(nullptr, DType::i32, {2})); },
              ThrowsMessage<Error>(HasSubstr("saw no memory")));
  if (!backend().supports(DType::f64)) {
    EXPECT_THROW(over(dense_view(theirs.data(), DType::f64, {1})), Error);
  }
  EXPECT_EQ(released, 0) << "the caller keeps what was refused";
  EXPECT_TRUE(over(dense_view(nullptr, DType::i32, {0})).values().empty());
  EXPECT_EQ(released, 1);
}

INSTANTIATE_TEST_SUITE_P(Everywhere, ForeignTensors, ::testing::Values("cpu", "reference"),
                         [](const auto& info) { return std::string(info.param); });

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
