// Rows by index and back, against loops in the test.
#include <gmock/gmock.h>

#include "tests/support/backends.h"
#include "tests/support/layout.h"
#include "tests/support/tolerance.h"

namespace heed::test::gather_test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class Gather : public ::testing::TestWithParam<Place> {};
INSTANTIATE_TEST_SUITE_P(Everywhere, Gather, ::testing::ValuesIn(places()), name_of_place);

struct Case {
  int64_t b, n, rows, d;
};

std::vector<Case> cases() {
  Dice dice(9);
  std::vector<Case> made = {{1, 2500, 7, 8}, {1, 90, 50, 200}, {2, 0, 3, 4}, {2, 4, 3, 0}};
  for (int round = 0; round < 40; ++round) {
    made.push_back({dice.length(4), dice.length(12), 1 + dice.below(9), dice.length(70)});
  }
  return made;
}

Laid indices(const Case& c, const Place& place, Dice& dice) {
  return laid({c.b, c.n}, place.with(DType::i32), dice, static_cast<Spacing>(dice.below(3)),
              [&] { return static_cast<double>(dice.below(c.rows + 1) - 1); });
}

TEST_P(Gather, TakesRows) {
  Dice dice(1);
  for (const DType dtype : {GetParam().dtype, DType::i32, DType::bf16, DType::f16, DType::u8}) {
    const Place place = GetParam().with(dtype);
    for (const Case& c : cases()) {
      const auto draw = [&] {
        return static_cast<double>(dice.below(250));
      };  // exact in every type
      const Laid table =
          laid({c.b, c.rows, c.d}, place, dice, static_cast<Spacing>(dice.below(3)), draw);
      const Laid index = indices(c, place, dice);
      const Laid out =
          laid({c.b, c.n, c.d}, place, dice, static_cast<Spacing>(dice.below(2)), draw);
      place.backend->gather(out.tensor.view(), table.tensor.view(), index.tensor.view());
      std::vector<double> expected;
      each_index(out.shape, [&](std::span<const int64_t> at) {
        const auto row = static_cast<int64_t>(index.at({at[0], at[1]}));
        expected.push_back(row < 0 ? 0 : table.at({at[0], row, at[2]}));
      });
      ASSERT_EQ(read(out), expected);
    }
  }
}

TEST_P(Gather, AddsRowsBack) {
  Dice dice(2);
  for (const DType dtype : {GetParam().dtype, DType::i32}) {
    const Place place = GetParam().with(dtype);
    for (const Case& c : cases()) {
      const auto draw = [&] { return static_cast<double>(dice.below(250)); };
      const Laid source =
          laid({c.b, c.n, c.d}, place, dice, static_cast<Spacing>(dice.below(3)), draw);
      const Laid index = indices(c, place, dice);
      const Laid out =
          laid({c.b, c.rows, c.d}, place, dice, static_cast<Spacing>(dice.below(2)), draw);
      place.backend->scatter_add(out.tensor.view(), source.tensor.view(), index.tensor.view());
      std::vector<double> expected = out.values;
      each_index(source.shape, [&](std::span<const int64_t> at) {
        const auto row = static_cast<int64_t>(index.at({at[0], at[1]}));
        if (row >= 0) {
          expected[static_cast<size_t>((at[0] * c.rows + row) * c.d + at[2])] += source.at(at);
        }
      });
      ASSERT_EQ(read(out), expected);  // sums of small whole numbers are exact
    }
  }
}

TEST_P(Gather, AddsInOrder) {
  const Place place = GetParam();
  // (1 + big) − big is 0 in this order, 1 in another.
  const double big = place.dtype == DType::f32 ? 1e9 : 1e18;
  const Tensor out = Tensor::zeros({1, 2, 100}, place);
  std::vector<double> values;
  for (const double x : {1.0, big, -big}) {
    values.insert(values.end(), 100, x);
  }
  const Tensor source = Tensor::of(values, {1, 3, 100}, place);
  const Tensor index = Tensor::of(std::vector<int32_t>{1, 1, 1}, {1, 3}, place.with(DType::i32));
  place.backend->scatter_add(out.view(), source.view(), index.view());
  EXPECT_EQ(out.values(), std::vector<double>(200, 0));
}

TEST_P(Gather, ReportsRowsThatAreNotThereWithTheNextDownload) {
  const Place place = GetParam();
  const Tensor table = Tensor::zeros({1, 3, 2}, place);
  const Tensor rows = Tensor::zeros({1, 1, 2}, place);
  for (const int32_t bad : {-2, 3, 1 << 30}) {
    const Tensor index = Tensor::of(std::vector<int32_t>{bad}, {1, 1}, place.with(DType::i32));
    place.backend->fill(rows.view(), 5);
    place.backend->gather(rows.view(), table.view(), index.view());
    const std::string saw = "saw index " + std::to_string(bad) + ", needs −1 or a row";
    EXPECT_THAT([&] { rows.values(); }, ThrowsMessage<Error>(HasSubstr("gather: " + saw)));
    EXPECT_EQ(rows.values(), (std::vector<double>{0, 0})) << "as if the index were −1";
    place.backend->fill(rows.view(), 5);
    place.backend->scatter_add(table.view(), rows.view(), index.view());
    EXPECT_THAT([&] { rows.values(); }, ThrowsMessage<Error>(HasSubstr("scatter_add: " + saw)));
    EXPECT_EQ(table.values(), std::vector<double>(6, 0)) << "added nothing";
  }
  const Tensor fractions = Tensor::zeros({1, 1}, place);
  EXPECT_THROW(place.backend->gather(rows.view(), table.view(), fractions.view()), Error);
}

}  // namespace
}  // namespace heed::test::gather_test
