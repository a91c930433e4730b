// Running sums from either end, in any layout, against sums in the test.
#include "tests/support/backends.h"
#include "tests/support/layout.h"
#include "tests/support/tolerance.h"

namespace heed::test::running_sum_test {
namespace {

class RunningSum : public ::testing::TestWithParam<Place> {};
INSTANTIATE_TEST_SUITE_P(Everywhere, RunningSum, ::testing::ValuesIn(places()), name_of_place);

std::vector<double> expected_sums(const Laid& in, SumFrom from) {
  std::vector<double> sums(in.values.size());
  const auto length = static_cast<size_t>(in.shape[-1]);
  for (size_t at = 0; at < sums.size(); ++at) {
    const size_t row = at - at % length;
    const size_t begin = from == SumFrom::begin ? row : at;
    const size_t end = from == SumFrom::begin ? at + 1 : row + length;
    for (size_t i = begin; i < end; ++i) {
      sums[at] += in.values[i];
    }
  }
  return sums;
}

TEST_P(RunningSum, AddsUpFromEitherEnd) {
  Dice dice(5);
  for (const Shape& shape : {Shape{1}, Shape{7}, Shape{3, 1}, Shape{2, 3, 5}, Shape{40, 1000}}) {
    for (const SumFrom from : {SumFrom::begin, SumFrom::end}) {
      for (const Spacing layout : {Spacing::dense, Spacing::strided}) {
        for (const DType dtype : {GetParam().dtype, DType::i32}) {
          const Place place = GetParam().with(dtype);
          const auto draw = [&] { return static_cast<double>(dice.below(9) - 4); };
          const Laid in = laid(shape, place, dice, layout, draw);
          const Laid out = laid(shape, place, dice, layout, [] { return 0; });
          place.backend->running_sum(out.tensor.view(), in.tensor.view(), from);
          ASSERT_EQ(read(out), expected_sums(in, from)) << to_string(shape);
          place.backend->running_sum(in.tensor.view(), in.tensor.view(), from);
          ASSERT_EQ(read(in), expected_sums(in, from)) << "in place";
        }
      }
    }
  }
}

TEST_P(RunningSum, RefusesWhatDoesNotFit) {
  const Tensor x = Tensor::zeros({2, 3}, GetParam());
  const Tensor y = Tensor::zeros({3, 2}, GetParam());
  const Tensor number = Tensor::zeros({}, GetParam());
  Backend& backend = *GetParam().backend;
  EXPECT_THROW(backend.running_sum(y.view(), x.view(), SumFrom::begin), Error);
  EXPECT_THROW(backend.running_sum(number.view(), number.view(), SumFrom::begin), Error);
  const Tensor empty = Tensor::zeros({2, 0}, GetParam());
  backend.running_sum(empty.view(), empty.view(), SumFrom::end);
}

}  // namespace
}  // namespace heed::test::running_sum_test
