// Views are checked element by element: every reshaping, index by index.
#include "heed/device/view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "heed/base/error.h"
#include "tests/support/layout.h"

namespace heed::test::view_test {
namespace {

int64_t offset_of(const View& view, std::span<const int64_t> index) {
  int64_t offset = (static_cast<char*>(view.data) - static_cast<char*>(nullptr)) /
                   static_cast<int64_t>(bytes_of(view.dtype));
  for (int axis = 0; axis < view.rank(); ++axis) {
    offset += index[static_cast<size_t>(axis)] * view.strides[axis];
  }
  return offset;
}

/// Where each element lies, row-major.
std::vector<int64_t> places(const View& view) {
  std::vector<int64_t> all;
  each_index(view.shape,
             [&](std::span<const int64_t> index) { all.push_back(offset_of(view, index)); });
  return all;
}

/// A view with random strides: permuted, stepped, sometimes stretched.
View random_view(Dice& dice, int most_axes = 4) {
  Shape shape = dice.shape(static_cast<int>(dice.below(most_axes + 1)), 6);
  View view = dense_view(nullptr, DType::f32, shape);
  if (dice.coin() && shape.rank() > 1) {
    view = transposed(view, static_cast<int>(dice.below(shape.rank())),
                      static_cast<int>(dice.below(shape.rank())));
  }
  if (dice.coin() && shape.rank() > 0) {
    const int axis = static_cast<int>(dice.below(shape.rank()));
    view = sliced(view, axis, 0, view.shape[axis] / 2, 2);
  }
  if (dice.below(4) == 0 && shape.rank() > 0) {
    view.strides[static_cast<size_t>(dice.below(shape.rank()))] = 0;
  }
  return view;
}

TEST(View, DenseIsContiguousAndInOrder) {
  Dice dice(1);
  for (int round = 0; round < 100; ++round) {
    const View view =
        dense_view(nullptr, DType::f32, dice.shape(static_cast<int>(dice.below(5)), 6));
    EXPECT_TRUE(view.is_contiguous());
    std::vector<int64_t> expected(static_cast<size_t>(view.numel()));
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(places(view), expected);
  }
}

TEST(View, ContiguousMeansInOrder) {
  Dice dice(2);
  int both[2] = {0, 0};
  for (int round = 0; round < 500; ++round) {
    const View view = random_view(dice);
    const auto found = places(view);
    bool in_order = true;
    for (size_t i = 0; i < found.size(); ++i) {
      in_order = in_order && found[i] == found[0] + static_cast<int64_t>(i);
    }
    EXPECT_EQ(view.is_contiguous(), in_order) << to_string(view.shape);
    ++both[in_order ? 1 : 0];
  }
  EXPECT_GT(both[0], 50);
  EXPECT_GT(both[1], 50);
}

TEST(View, PermutedMovesAxes) {
  Dice dice(3);
  for (int round = 0; round < 200; ++round) {
    const View view = random_view(dice);
    std::vector<int> order(static_cast<size_t>(view.rank()));
    std::iota(order.begin(), order.end(), 0);
    for (size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[static_cast<size_t>(dice.below(static_cast<int64_t>(i)))]);
    }
    const View moved = permuted(view, order);
    each_index(moved.shape, [&](std::span<const int64_t> index) {
      std::vector<int64_t> before(index.size());
      for (size_t i = 0; i < order.size(); ++i) {
        before[static_cast<size_t>(order[i])] = index[i];
      }
      ASSERT_EQ(offset_of(moved, index), offset_of(view, before));
    });
  }
  const View view = dense_view(nullptr, DType::f32, {2, 3});
  EXPECT_EQ(permuted(view, std::vector{-1, -2}).shape, (Shape{3, 2}));
  EXPECT_THROW(permuted(view, std::vector{0, 0}), Error);
  EXPECT_THROW(permuted(view, std::vector{0}), Error);
  EXPECT_THROW(permuted(view, std::vector{0, 2}), Error);
}

TEST(View, SlicedTakesEveryStepth) {
  Dice dice(4);
  for (int round = 0; round < 300; ++round) {
    const View view = random_view(dice);
    if (view.rank() == 0 || view.numel() == 0) {
      continue;
    }
    const int axis = static_cast<int>(dice.below(view.rank()));
    const int64_t begin = dice.below(view.shape[axis]);
    const int64_t step = dice.coin() ? 1 + dice.below(3) : -1 - dice.below(2);
    const int64_t room = step > 0 ? (view.shape[axis] - 1 - begin) / step : begin / -step;
    const int64_t count = dice.below(room + 2);
    const View part = sliced(view, axis, begin, count, step);
    EXPECT_EQ(part.shape, view.shape.with(axis, count));
    each_index(part.shape, [&](std::span<const int64_t> index) {
      std::vector<int64_t> before(index.begin(), index.end());
      auto& moved = before[static_cast<size_t>(axis)];
      moved = begin + moved * step;
      ASSERT_EQ(offset_of(part, index), offset_of(view, before));
    });
  }
  const View view = dense_view(nullptr, DType::f32, {5});
  EXPECT_THROW(sliced(view, 0, 0, 6), Error);
  EXPECT_THROW(sliced(view, 0, 2, 2, 3), Error);
  EXPECT_THROW(sliced(view, 0, 1, 3, -1), Error);
  EXPECT_THROW(sliced(view, 0, -1, 1), Error);
  EXPECT_THROW(sliced(view, 1, 0, 1), Error);
  EXPECT_NO_THROW(sliced(view, 0, 5, 0));
}

TEST(View, BroadcastRepeats) {
  const View view = dense_view(nullptr, DType::f32, {3, 1, 2});
  const View wide = broadcast_to(view, {4, 3, 5, 2});
  each_index(wide.shape, [&](std::span<const int64_t> index) {
    ASSERT_EQ(offset_of(wide, index), offset_of(view, std::vector<int64_t>{index[1], 0, index[3]}));
  });
  EXPECT_THROW(broadcast_to(view, {3, 5, 3}), Error);
  EXPECT_THROW(broadcast_to(view, {1, 2}), Error);
}

/// The shape with its elements regrouped at random.
Shape regrouped(int64_t numel, Dice& dice) {
  Shape shape;
  while (shape.rank() < 5 && (numel > 1 || dice.coin())) {
    std::vector<int64_t> divisors;
    for (int64_t d = 1; d <= numel; ++d) {
      if (numel % d == 0) {
        divisors.push_back(d);
      }
    }
    const int64_t d =
        divisors[static_cast<size_t>(dice.below(static_cast<int64_t>(divisors.size())))];
    shape.push(d);
    numel /= d;
  }
  return numel == 1 ? shape : shape.push(numel);
}

TEST(View, ReshapedKeepsEveryElementOrSaysNo) {
  Dice dice(5);
  int both[2] = {0, 0};
  for (int round = 0; round < 1000; ++round) {
    const View view = random_view(dice);
    if (view.numel() == 0) {
      continue;
    }
    const Shape shape = regrouped(view.numel(), dice);
    const auto other = reshaped(view, shape);
    ++both[other.has_value() ? 1 : 0];
    if (other) {
      ASSERT_EQ(other->shape, shape);
      ASSERT_EQ(places(*other), places(view)) << to_string(view.shape) << to_string(shape);
    } else {
      ASSERT_FALSE(view.is_contiguous());
    }
    ASSERT_TRUE(reshaped(view, view.shape).has_value()) << "as itself";
  }
  EXPECT_GT(both[0], 50);
  EXPECT_GT(both[1], 200);
  EXPECT_THROW(reshaped(dense_view(nullptr, DType::f32, {4}), {3}), Error);
  EXPECT_TRUE(reshaped(dense_view(nullptr, DType::f32, {4, 0}), {0, 7}).has_value());
}

TEST(View, MergedAxesVisitTheSameElementsTogether) {
  Dice dice(6);
  int merged = 0;
  for (int round = 0; round < 500; ++round) {
    View a = random_view(dice);
    View b = dense_view(nullptr, DType::f32, a.shape);
    if (dice.coin() && a.rank() > 0) {
      b.strides[static_cast<size_t>(dice.below(a.rank()))] = 0;
    }
    std::array<View, 2> views{a, b};
    merge_axes(views);
    merged += views[0].rank() < a.rank() ? 1 : 0;
    ASSERT_EQ(views[0].shape, views[1].shape);
    ASSERT_EQ(places(views[0]), places(a));
    ASSERT_EQ(places(views[1]), places(b));
    for (const int64_t length : views[0].shape) {
      ASSERT_NE(length, 1);
    }
  }
  EXPECT_GT(merged, 100);
  std::array<View, 1> dense{dense_view(nullptr, DType::f32, {2, 3, 4})};
  merge_axes(dense);
  EXPECT_EQ(dense[0].shape, (Shape{24}));
}

TEST(Shape, CountsAxesFromEitherEnd) {
  Shape shape{2, 3, 4};
  EXPECT_EQ(shape[-1], 4);
  EXPECT_EQ(shape.numel(), 24);
  EXPECT_EQ(Shape().numel(), 1);
  EXPECT_EQ((Shape{3, 0}).numel(), 0);
  EXPECT_EQ(shape.with(1, 9), (Shape{2, 9, 4}));
  EXPECT_EQ(shape.insert(0, 7), (Shape{7, 2, 3, 4}));
  EXPECT_EQ(shape.erase(1), (Shape{7, 3, 4}));
  EXPECT_NE(shape, (Shape{7, 3}));
  EXPECT_EQ(to_string(shape), "[7, 3, 4]");
  EXPECT_EQ(checked_axis(-1, 3, "test"), 2);
  EXPECT_THROW(checked_axis(3, 3, "test"), Error);
  EXPECT_THROW(Shape({1, 1, 1, 1, 1, 1, 1, 1, 1}), Error);
  EXPECT_THROW(Shape({-1}), Error);
}

TEST(Shape, Broadcasts) {
  EXPECT_EQ(broadcast({2, 1}, {3}, "test"), (Shape{2, 3}));
  EXPECT_EQ(broadcast({}, {3, 1}, "test"), (Shape{3, 1}));
  EXPECT_EQ(broadcast({1}, {0}, "test"), (Shape{0}));
  EXPECT_THROW(broadcast({2}, {3}, "test"), Error);
}

TEST(Shape, CountsItsElementsOrRefusesThem) {
  EXPECT_EQ(Shape({}).numel(), 1);
  EXPECT_EQ(Shape({3, 4, 5}).numel(), 60);
  EXPECT_EQ(Shape({3, 0, 5}).numel(), 0);
  EXPECT_EQ(Shape({int64_t{1} << 24, int64_t{1} << 24}).numel(), most_elements);
  constexpr int64_t largest = std::numeric_limits<int64_t>::max();
  for (const Shape& shape :
       {Shape({most_elements + 1}), Shape({largest}), Shape({largest, 2}), Shape({2, largest}),
        Shape({int64_t{1} << 32, int64_t{1} << 32}), Shape({int64_t{1} << 62, 4}),
        // An empty axis makes no tensor of it: the strides of the others would overflow.
        Shape({0, largest, largest}), Shape({largest, largest, 0})}) {
    EXPECT_THROW(shape.numel(), Error) << to_string(shape);
  }
  EXPECT_THROW(Shape({2, 3}).with(1, -3).numel(), Error);
}

}  // namespace
}  // namespace heed::test::view_test
