// Sums, maxima, argmax and topk over any axes and layouts, against loops in the test.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tests/support/backends.h"
#include "tests/support/layout.h"
#include "tests/support/tolerance.h"

namespace heed::test::reduce_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

class Reductions : public ::testing::TestWithParam<Place> {};
INSTANTIATE_TEST_SUITE_P(Everywhere, Reductions, ::testing::ValuesIn(places()), name_of_place);

Shape reduced(const Shape& shape, Dice& dice) {
  Shape out = shape;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    out[axis] = dice.coin() ? 1 : shape[axis];
  }
  return out;
}

template <class Join>
std::vector<double> expected_reduction(const Laid& in, const Shape& out, double start, Join join) {
  std::vector<double> results(static_cast<size_t>(out.numel()), start);
  size_t next = 0;
  each_index(in.shape, [&](std::span<const int64_t> index) {
    int64_t place = 0;
    for (int axis = 0; axis < out.rank(); ++axis) {
      place = place * out[axis] + (out[axis] == 1 ? 0 : index[static_cast<size_t>(axis)]);
    }
    double& result = results[static_cast<size_t>(place)];
    result = join(result, in.values[next++]);
  });
  return results;
}

int64_t length_of(const Shape& in, const Shape& out) {
  return in.numel() / std::max<int64_t>(1, out.numel());
}

TEST_P(Reductions, SumsAndMaximaOverAnyAxes) {
  const Place place = GetParam();
  Dice dice(1);
  for (int round = 0; round < 120; ++round) {
    const Shape shape = dice.shape(static_cast<int>(dice.below(5)), 11);
    const Shape to = reduced(shape, dice);
    SCOPED_TRACE(heed::to_string(shape) + " to " + heed::to_string(to));
    const Laid in = laid_normal(shape, place, dice, static_cast<Spacing>(dice.below(3)));
    const Laid out = laid_normal(to, place, dice);
    place.backend->reduce(Reduction::sum, out.tensor.view(), in.tensor.view());
    const int64_t length = length_of(shape, to);
    ASSERT_TRUE(close(read(out), expected_reduction(in, to, 0, std::plus<double>()),
                      scaled(tolerance(place.dtype, length), std::sqrt(length) + 1)));
    place.backend->reduce(Reduction::max, out.tensor.view(), in.tensor.view());
    ASSERT_EQ(read(out), expected_reduction(in, to, -infinity,
                                            [](double a, double b) { return std::max(a, b); }));
  }
}

TEST_P(Reductions, LongAxesBothWays) {
  const Place place = GetParam();
  Dice dice(2);
  for (const auto& [shape, to] : std::vector<std::pair<Shape, Shape>>{
           {{40001}, {1}},
           {{2, 17011}, {2, 1}},
           {{9011, 3}, {1, 3}},
           {{20, 1500}, {1, 1500}},
           {{200, 2, 67}, {1, 2, 1}},
           {{2, 600, 33}, {2, 1, 33}},
           {{7, 311, 5, 3}, {7, 1, 5, 1}},
           {{1000, 2, 9}, {1, 1, 9}},
       }) {
    SCOPED_TRACE(heed::to_string(shape) + " to " + heed::to_string(to));
    const Laid in = laid_normal(shape, place, dice, Spacing::dense);
    const Tensor out = Tensor::empty(to, place);
    place.backend->reduce(Reduction::sum, out.view(), in.tensor.view());
    const int64_t length = length_of(shape, to);
    EXPECT_TRUE(close(out.values(), expected_reduction(in, to, 0, std::plus<double>()),
                      scaled(tolerance(place.dtype, length), std::sqrt(length))));
    place.backend->reduce(Reduction::max, out.view(), in.tensor.view());
    EXPECT_EQ(out.values(), expected_reduction(in, to, -infinity,
                                               [](double a, double b) { return std::max(a, b); }));
  }
}

TEST_P(Reductions, WholeNumbers) {
  const Place place = GetParam().with(DType::i32);
  Dice dice(3);
  for (int round = 0; round < 60; ++round) {
    const Shape shape = dice.shape(3, 12);
    const Shape to = reduced(shape, dice);
    const Laid in = laid(shape, place, dice, static_cast<Spacing>(dice.below(3)),
                         [&] { return static_cast<double>(dice.below(2001) - 1000); });
    const Laid out = laid(to, place, dice, Spacing::strided, [] { return 0; });
    place.backend->reduce(Reduction::sum, out.tensor.view(), in.tensor.view());
    ASSERT_EQ(read(out), expected_reduction(in, to, 0, std::plus<double>()));
    if (length_of(shape, to) > 0) {
      place.backend->reduce(Reduction::max, out.tensor.view(), in.tensor.view());
      ASSERT_EQ(read(out), expected_reduction(in, to, -2000,
                                              [](double a, double b) { return std::max(a, b); }));
    }
  }
}

TEST_P(Reductions, EmptyAxes) {
  const Place place = GetParam();
  const Tensor in = Tensor::zeros({2, 0}, place);
  const Tensor out = Tensor::full({2, 1}, 5, place);
  place.backend->reduce(Reduction::sum, out.view(), in.view());
  EXPECT_EQ(out.values(), (std::vector<double>{0, 0}));
  place.backend->reduce(Reduction::max, out.view(), in.view());
  EXPECT_EQ(out.values(), (std::vector<double>{-infinity, -infinity}));
  const Tensor index = Tensor::zeros({2, 1}, place.with(DType::i32));
  EXPECT_THROW(place.backend->reduce(Reduction::argmax, index.view(), in.view()), Error);
}

TEST_P(Reductions, NaNShows) {
  const Place place = GetParam();
  const double nan = std::nan("");
  for (const int64_t n : {3, 21, 64}) {
    for (int64_t where = 0; where < n; where += 5) {
      std::vector<double> values(static_cast<size_t>(n), 1);
      values[static_cast<size_t>(where)] = nan;
      values.back() = where == n - 1 ? nan : 9;
      const Tensor row = Tensor::of(values, {1, n}, place);
      const Tensor one = Tensor::empty({1, 1}, place);
      place.backend->reduce(Reduction::max, one.view(), row.view());
      EXPECT_TRUE(std::isnan(one.item()));
      place.backend->reduce(Reduction::sum, one.view(), row.view());
      EXPECT_TRUE(std::isnan(one.item()));
      const Tensor index = Tensor::zeros({1, 1}, place.with(DType::i32));
      place.backend->reduce(Reduction::argmax, index.view(), row.view());
      EXPECT_EQ(index.item(), static_cast<double>(where));
      const Tensor column = Tensor::empty({n, 1}, place);
      place.backend->copy(column.view(), transposed(row.view()));
      place.backend->reduce(Reduction::max, one.view(), column.view());
      EXPECT_TRUE(std::isnan(one.item()));
    }
  }
}

TEST_P(Reductions, ArgmaxTakesTheFirstOfEquals) {
  Dice dice(4);
  for (int round = 0; round < 80; ++round) {
    const Place place = GetParam().with(round % 3 == 0 ? DType::i32 : GetParam().dtype);
    const Shape shape = dice.shape(1 + static_cast<int>(dice.below(3)), 40);
    const int axis = static_cast<int>(dice.below(shape.rank()));
    if (shape.numel() == 0) {
      continue;
    }
    const Laid in = laid(shape, place, dice, static_cast<Spacing>(dice.below(3)),
                         [&] { return static_cast<double>(dice.below(9)); });
    const Shape to = shape.with(axis, 1);
    const Laid out = laid(to, place.with(DType::i32), dice, Spacing::strided, [] { return 0; });
    place.backend->reduce(Reduction::argmax, out.tensor.view(), in.tensor.view());
    std::vector<double> expected;
    each_index(to, [&](std::span<const int64_t> of_result) {
      std::vector<int64_t> index(of_result.begin(), of_result.end());
      int64_t best = 0;
      double most = -infinity;
      for (int64_t i = 0; i < shape[axis]; ++i) {
        index[static_cast<size_t>(axis)] = i;
        if (in.at(index) > most) {
          most = in.at(index);
          best = i;
        }
      }
      expected.push_back(static_cast<double>(best));
    });
    ASSERT_EQ(read(out), expected) << heed::to_string(shape) << " axis " << axis;
  }
}

TEST_P(Reductions, RefusesWhatDoesNotFit) {
  const Place place = GetParam();
  const Tensor in = Tensor::zeros({2, 3}, place);
  const auto run = [&](Reduction reduction, const Tensor& out) {
    place.backend->reduce(reduction, out.view(), in.view());
  };
  EXPECT_THROW(run(Reduction::sum, Tensor::zeros({2}, place)), Error);
  EXPECT_THROW(run(Reduction::sum, Tensor::zeros({2, 2}, place)), Error);
  EXPECT_THROW(run(Reduction::sum, Tensor::zeros({2, 1}, place.with(DType::i32))), Error);
  EXPECT_THROW(run(Reduction::argmax, Tensor::zeros({2, 1}, place)), Error);
  EXPECT_THROW(run(Reduction::argmax, Tensor::zeros({1, 1}, place.with(DType::i32))), Error);
  EXPECT_THROW(run(Reduction::argmax, Tensor::zeros({2, 3}, place.with(DType::i32))), Error);
}

TEST_P(Reductions, TopkIsAStableSort) {
  Dice dice(5);
  for (int round = 0; round < 80; ++round) {
    const Place place = GetParam().with(round % 4 == 0 ? DType::i32 : GetParam().dtype);
    const int64_t n = round % 10 == 0 ? 900 : 1 + dice.below(70);
    Shape shape = dice.shape(static_cast<int>(dice.below(3)), 5);
    shape.push(n);
    const int64_t k = dice.below(n + 1);
    const Laid in = laid(shape, place, dice, static_cast<Spacing>(dice.below(3)),
                         [&] { return static_cast<double>(dice.below(1 + n / 2)); });
    const Shape to = shape.with(-1, k);
    const Laid values = laid(to, place, dice, Spacing::strided, [] { return 0; });
    const Laid indices = laid(to, place.with(DType::i32), dice, Spacing::strided, [] { return 0; });
    place.backend->topk(values.tensor.view(), indices.tensor.view(), in.tensor.view());
    std::vector<double> expected_values;
    std::vector<double> expected_indices;
    for (size_t row = 0; row < in.values.size(); row += static_cast<size_t>(n)) {
      std::vector<int32_t> order(static_cast<size_t>(n));
      std::iota(order.begin(), order.end(), 0);
      const double* x = in.values.data() + row;
      std::stable_sort(order.begin(), order.end(),
                       [&](int32_t i, int32_t j) { return x[i] > x[j]; });
      for (int64_t i = 0; i < k; ++i) {
        expected_indices.push_back(order[static_cast<size_t>(i)]);
        expected_values.push_back(x[order[static_cast<size_t>(i)]]);
      }
    }
    ASSERT_EQ(read(values), expected_values) << heed::to_string(shape) << " k " << k;
    ASSERT_EQ(read(indices), expected_indices) << heed::to_string(shape) << " k " << k;
  }
}

TEST_P(Reductions, TopkPutsNaNFirst) {
  const Place place = GetParam();
  const Tensor in = Tensor::of(std::vector<double>{1, std::nan(""), 3, std::nan("")}, {4}, place);
  const Tensor values = Tensor::empty({3}, place);
  const Tensor indices = Tensor::empty({3}, place.with(DType::i32));
  place.backend->topk(values.view(), indices.view(), in.view());
  EXPECT_EQ(indices.values<int32_t>(), (std::vector<int32_t>{1, 3, 2}));
  EXPECT_THROW(place.backend->topk(Tensor::empty({5}, place).view(), indices.view(), in.view()),
               Error);
}

}  // namespace
}  // namespace heed::test::reduce_test
