// Counting, slots written and rows reordered, against loops in the test.
#include <gmock/gmock.h>

#include "tests/support/backends.h"
#include "tests/support/layout.h"
#include "tests/support/tolerance.h"

namespace heed::test::cache_test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class Cache : public ::testing::TestWithParam<Place> {};
INSTANTIATE_TEST_SUITE_P(Everywhere, Cache, ::testing::ValuesIn(places()), name_of_place);

Tensor index_of(const std::vector<int32_t>& numbers, const Place& place) {
  return Tensor::of(numbers, {static_cast<int64_t>(numbers.size())}, place.with(DType::i32));
}

TEST_P(Cache, Counts) {
  for (const DType dtype : {GetParam().dtype, DType::i32}) {
    const Tensor numbers = Tensor::full({2, 3, 5}, 7, GetParam().with(dtype));
    numbers.backend().iota(sliced(numbers.view(), 1, 1, 1));
    const auto found = numbers.values();
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i], i / 5 % 3 == 1 ? static_cast<double>(i % 5) : 7) << i;
    }
  }
}

/// Numbers drawn by a step in memory are those of the same step in the key.
TEST_P(Cache, DrawsByAStepInMemory) {
  const Tensor step = Tensor::of(std::vector<int32_t>{-7, 3}, {2}, GetParam().with(DType::i32));
  const uint64_t number = join_words(static_cast<uint32_t>(-7), 3);
  for (const Distribution distribution : {Distribution::uniform, Distribution::normal}) {
    const Tensor drawn = Tensor::empty({3, 50}, GetParam());
    drawn.backend().random(drawn.view(), distribution, {RandomKey{1, 5, 2}, step.view()});
    const Tensor expected =
        Tensor::random({3, 50}, distribution, RandomKey{1, 5 + number, 2}, GetParam());
    EXPECT_TRUE(same_bits(drawn, expected));
  }
  EXPECT_THROW(step.backend().random(step.view(), Distribution::uniform, RandomKey{}), Error);
  const Tensor out = Tensor::empty({3}, GetParam());
  EXPECT_THROW(out.backend().random(out.view(), Distribution::uniform, {RandomKey{}, out.view()}),
               Error);
}

TEST_P(Cache, DrawsEveryRowByItsKeys) {
  const std::vector<int32_t> keys = {5, 0, 1, 7, 2, 1, 5, 0, 2};
  for (const Distribution distribution : {Distribution::uniform, Distribution::normal}) {
    for (const int64_t width : {3, 40}) {
      const Tensor index = Tensor::of(keys, {3, 3}, GetParam().with(DType::i32));
      const Tensor drawn = Tensor::empty({3, 2, width}, GetParam());
      drawn.backend().random_rows(drawn.view(), distribution, {9, 0, 4}, index.view());
      for (size_t row = 0; row < 3; ++row) {
        const RandomKey key{9, join_words(keys[3 * row], keys[3 * row + 1]),
                            4 + join_words(0, keys[3 * row + 2])};
        const Draws draws(key);
        for (int64_t i = 0; i < 2 * width; ++i) {
          const uint64_t e = static_cast<uint64_t>((i / width << 24) + i % width);
          const double expected = distribution == Distribution::normal
                                      ? draws.normal(e)
                                      : (static_cast<double>(draws.bits(e) >> 9) + 0.5) * 0x1p-23;
          EXPECT_NEAR(drawn.values()[row * 2 * width + i], expected, 1e-7) << row << ' ' << i;
        }
      }
    }
  }
}

TEST_P(Cache, WritesOneSlotARow) {
  Dice dice(3);
  for (int round = 0; round < 30; ++round) {
    const int64_t rows = 1 + dice.below(40);
    const int64_t groups = 1 + dice.below(4);
    const int64_t slots = 1 + dice.below(9);
    const int64_t width = 1 + dice.below(70);
    const auto draw = [&] { return static_cast<double>(dice.below(1000)); };
    const Laid cache = laid({rows, groups, slots, width}, GetParam(), dice,
                            static_cast<Spacing>(dice.below(2)), draw);
    const Laid fresh =
        laid({rows, groups, width}, GetParam(), dice, static_cast<Spacing>(dice.below(3)), draw);
    std::vector<int32_t> at;
    for (int64_t q = 0; q < rows; ++q) {
      at.push_back(static_cast<int32_t>(dice.below(slots)));
    }
    std::vector<double> expected;
    each_index(cache.shape, [&](std::span<const int64_t> i) {
      const bool is_written = i[2] == at[static_cast<size_t>(i[0])];
      expected.push_back(is_written ? fresh.at({i[0], i[1], i[3]})
                                    : cache.at({i[0], i[1], i[2], i[3]}));
    });
    GetParam().backend->write_slots(cache.tensor.view(), fresh.tensor.view(),
                                    index_of(at, GetParam()).view());
    ASSERT_EQ(read(cache), expected);
  }
}

/// Parents of every kind: rows that stay, several readers of one, cycles, fewer than there are.
std::vector<int32_t> parents(int64_t rows, Dice& dice) {
  const int64_t count = dice.below(3) == 0 ? 1 + dice.below(rows) : rows;
  std::vector<int32_t> parent;
  const int64_t kind = dice.below(3);
  for (int64_t q = 0; q < count; ++q) {
    const int64_t anywhere = dice.below(rows);
    const int64_t turned = (q + 1 + q % 2) % rows;
    parent.push_back(static_cast<int32_t>(kind == 0            ? turned
                                          : kind == 1          ? anywhere
                                          : dice.below(2) == 0 ? q
                                                               : anywhere));
  }
  return parent;
}

TEST_P(Cache, ReordersRowsInPlace) {
  Dice dice(4);
  for (int round = 0; round < 60; ++round) {
    const int64_t rows = 1 + dice.below(14);
    const int64_t groups = 1 + dice.below(4);
    const int64_t width = round % 20 == 0 ? 5000 : dice.length(70);
    const auto draw = [&] { return static_cast<double>(dice.below(1000)); };
    const Laid cache =
        laid({rows, groups, width}, GetParam(), dice, static_cast<Spacing>(dice.below(2)), draw);
    const std::vector<int32_t> parent = parents(rows, dice);
    std::vector<double> expected;
    each_index(cache.shape, [&](std::span<const int64_t> i) {
      const bool moves = i[0] < static_cast<int64_t>(parent.size());
      expected.push_back(cache.at({moves ? parent[static_cast<size_t>(i[0])] : i[0], i[1], i[2]}));
    });
    GetParam().backend->reorder_rows(cache.tensor.view(), index_of(parent, GetParam()).view());
    ASSERT_EQ(read(cache), expected);
  }
}

TEST_P(Cache, RefusesWhatDoesNotFit) {
  const Tensor cache = Tensor::zeros({2, 1, 3, 4}, GetParam());
  const Tensor rows = Tensor::zeros({2, 1, 4}, GetParam());
  Backend& backend = *GetParam().backend;
  const auto at = [](const std::vector<int32_t>& numbers) { return index_of(numbers, GetParam()); };
  EXPECT_THROW(backend.write_slots(cache.view(), rows.view(), at({0}).view()), Error);
  EXPECT_THROW(backend.reorder_rows(rows.view(), at({0, 1, 0}).view()), Error);
}

TEST_P(Cache, ReportsSlotsAndParentsThatAreNotThereWithTheNextDownload) {
  Backend& backend = *GetParam().backend;
  for (const int32_t bad : {3, -1}) {
    const Tensor cache = Tensor::zeros({2, 1, 3, 1}, GetParam());
    const Tensor rows = Tensor::of(std::vector<double>{7, 8}, {2, 1, 1}, GetParam());
    backend.write_slots(cache.view(), rows.view(), index_of({bad, 1}, GetParam()).view());
    const std::string saw = "saw index " + std::to_string(bad);
    EXPECT_THAT([&] { cache.values(); }, ThrowsMessage<Error>(HasSubstr("write_slots: " + saw)));
    EXPECT_EQ(cache.values(), (std::vector<double>{0, 0, 0, 0, 8, 0})) << "the others are written";
    backend.reorder_rows(rows.view(), index_of({1, bad}, GetParam()).view());
    EXPECT_THAT([&] { rows.values(); }, ThrowsMessage<Error>(HasSubstr("reorder_rows: " + saw)));
    EXPECT_EQ(rows.values(), (std::vector<double>{8, 8})) << "a row without a parent stays";
  }
}

}  // namespace
}  // namespace heed::test::cache_test
