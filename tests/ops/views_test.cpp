// Views share memory and show the elements their formulas name; what cannot be a view is a copy.
#include <functional>
#include <numeric>

#include "heed/ops/broadcast.h"
#include "heed/ops/concat.h"
#include "heed/ops/pad.h"
#include "heed/ops/permute.h"
#include "heed/ops/reshape.h"
#include "heed/ops/slice.h"
#include "heed/ops/stack.h"
#include "heed/tensor/tape.h"
#include "tests/support/backends.h"
#include "tests/support/tolerance.h"

namespace heed::test::views_test {
namespace {

using Values = std::vector<double>;

/// 0, 1, 2, …
Tensor counting(const Shape& shape, const Place& place) {
  Values values(static_cast<size_t>(shape.numel()));
  std::iota(values.begin(), values.end(), 0);
  return Tensor::of(values, shape, place);
}

class Views : public ::testing::TestWithParam<Place> {
 protected:
  Tensor make(const Shape& shape) const { return counting(shape, GetParam()); }

  /// How many blocks of memory `f` asks for.
  static int64_t allocations(const std::function<void()>& f) {
    CachingAllocator& allocator = GetParam().backend->allocator();
    const int64_t before = allocator.statistics().requests;
    f();
    return allocator.statistics().requests - before;
  }
};

INSTANTIATE_TEST_SUITE_P(Everywhere, Views, ::testing::ValuesIn(places()), name_of_place);

TEST_P(Views, ShowTheElementsTheirFormulasName) {
  const Tensor x = make({2, 3});
  EXPECT_EQ(slice(x, 1, 1, 2).values(), (Values{1, 2, 4, 5}));
  EXPECT_EQ(slice(x, -1, 2, 2, -2).values(), (Values{2, 0, 5, 3}));
  EXPECT_EQ(slice(x, 0, 2, 0).numel(), 0);
  EXPECT_EQ(permute(x, {1, 0}).values(), (Values{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(transpose(x).values(), permute(x, {1, 0}).values());
  EXPECT_EQ(reshape(x, {3, -1}).shape(), (Shape{3, 2}));
  EXPECT_EQ(reshape(x, {3, -1}).values(), x.values());
  EXPECT_EQ(reshape(transpose(x), {-1}).values(), (Values{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(unsqueeze(x, -1).shape(), (Shape{2, 3, 1}));
  EXPECT_EQ(squeeze(make({2, 1, 3}), 1).shape(), (Shape{2, 3}));
  EXPECT_EQ(broadcast_to(make({2, 1}), {2, 2, 2}).values(), (Values{0, 0, 1, 1, 0, 0, 1, 1}));
  const auto pieces = split(x, 1, {1, 2});
  EXPECT_EQ(pieces[0].values(), (Values{0, 3}));
  EXPECT_EQ(pieces[1].values(), (Values{1, 2, 4, 5}));
}

TEST_P(Views, AllocateNothing) {
  const Tensor x = make({2, 3, 4});
  EXPECT_EQ(allocations([&] {
              const Tensor part = slice(x, 1, 1, 2);
              slice(part, 2, 3, 2, -2);
              split(x, 2, {1, 3});
              permute(x, {2, 0, 1});
              transpose(x);
              reshape(x, {-1, 2});
              reshape(permute(x, {1, 0, 2}), {3, 2, 2, 2});
              squeeze(slice(transpose(x), 1, 1, 1), 1);
              unsqueeze(part, 2);
              broadcast_to(unsqueeze(x, 1), {2, 5, 3, 4});
            }),
            0);
  EXPECT_EQ(slice(x, 1, 1, 2).view().data, x.view().shifted(4).data);
}

TEST_P(Views, CopyOnlyWhereStridesForbidAView) {
  const Tensor x = make({2, 3, 4});
  EXPECT_EQ(allocations([&] { reshape(transpose(x), {-1}); }), 1);
  // One row of a batch lies dense whatever stands around it.
  EXPECT_EQ(allocations([&] { reshape(slice(x, 1, 1, 1), {2, 4}); }), 0);
  EXPECT_EQ(allocations([&] { reshape(slice(x, 1, 1, 2), {2, 8}); }), 0);
  EXPECT_EQ(allocations([&] { reshape(slice(x, 1, 1, 2), {16}); }), 1);
}

TEST_P(Views, ASliceHandsBackItsGradientWithoutAFullSizeCopy) {
  Tensor x = make({64, 8});
  x.watch();
  CachingAllocator& allocator = GetParam().backend->allocator();
  Tensor joined = Tensor::zeros({}, GetParam());
  std::vector<Tensor> rows;
  for (int64_t i = 0; i < 64; ++i) {
    rows.push_back(slice(x, 0, i, 1));
  }
  const Tensor seed = Tensor::full({1, 8}, 2, GetParam());
  record(std::span(&joined, 1), rows, [&seed](Gradients& g) {
    for (size_t i = 0; i < 64; ++i) {
      g.add(i, seed);
    }
  });
  const int64_t before = allocator.statistics().requests;
  joined.backward();
  EXPECT_LE(allocator.statistics().requests - before, 2);  // x's gradient and the seed of joined
  EXPECT_EQ(x.gradient().values(), Values(512, 2.0));
}

TEST_P(Views, JoinedTensorsShowTheirParts) {
  const Tensor x = make({2, 2});
  const Tensor y = Tensor::full({2, 1}, 9, GetParam());
  EXPECT_EQ(concat({x, y}, 1).values(), (Values{0, 1, 9, 2, 3, 9}));
  EXPECT_EQ(concat({transpose(x), x}, 0).values(), (Values{0, 2, 1, 3, 0, 1, 2, 3}));
  EXPECT_EQ(stack({x, transpose(x)}, 1).values(), (Values{0, 1, 0, 2, 2, 3, 1, 3}));
  EXPECT_EQ(stack({x, x}, -1).shape(), (Shape{2, 2, 2}));
  EXPECT_EQ(pad(x, 1, 1, 2, 5).values(), (Values{5, 0, 1, 5, 5, 5, 2, 3, 5, 5}));
  EXPECT_EQ(pad(x, 0, 1, 0).values(), (Values{0, 0, 0, 1, 2, 3}));
}

TEST_P(Views, WorkOnWholeNumbers) {
  const Tensor ids = counting({2, 3}, GetParam().with(DType::i32));
  EXPECT_EQ(concat({slice(ids, 1, 0, 1), slice(ids, 1, 2, 1)}, 1).values<int32_t>(),
            (std::vector<int32_t>{0, 2, 3, 5}));
  EXPECT_EQ(pad(ids, 1, 0, 1, -1).values<int32_t>(),
            (std::vector<int32_t>{0, 1, 2, -1, 3, 4, 5, -1}));
}

TEST_P(Views, SayWhatDoesNotFit) {
  const Tensor x = make({2, 3});
  EXPECT_THROW(slice(x, 1, 1, 3), Error);
  EXPECT_THROW(slice(x, 2, 0, 1), Error);
  EXPECT_THROW(split(x, 1, {1, 1}), Error);
  EXPECT_THROW(permute(x, {0, 0}), Error);
  EXPECT_THROW(permute(x, {0}), Error);
  EXPECT_THROW(reshape(x, {4, -1}), Error);
  EXPECT_THROW(reshape(x, {-1, -1}), Error);
  EXPECT_THROW(reshape(x, {5}), Error);
  EXPECT_THROW(squeeze(x, 0), Error);
  EXPECT_THROW(unsqueeze(x, 3), Error);
  EXPECT_THROW(broadcast_to(x, {2, 4}), Error);
  EXPECT_THROW(concat({x, make({3, 3})}, 1), Error);
  EXPECT_THROW(concat({x, make({6})}, 0), Error);
  EXPECT_THROW(concat(std::span<const Tensor>(), 0), Error);
  EXPECT_THROW(stack({x, make({3, 2})}, 0), Error);
  EXPECT_THROW(pad(x, 0, -1, 0), Error);
}

}  // namespace
}  // namespace heed::test::views_test
