// Positions are exact, wherever rows are stored: what enters rows in bf16 is rounded with them.
#include <gtest/gtest.h>

#include <numeric>

#include "heed/nn/positions.h"
#include "heed/nn/rotary.h"
#include "heed/ops/cast.h"
#include "heed/ops/reshape.h"
#include "tests/support/backends.h"
#include "tests/support/tolerance.h"

namespace heed::test::rounded_positions_test {
namespace {

constexpr int64_t width = 6;
constexpr int32_t count = 1000;  // bf16 holds whole numbers up to 256

Place low() { return {&forced("reference"), DType::bf16}; }

Tensor numbers() {
  std::vector<int32_t> all(count);
  std::iota(all.begin(), all.end(), 0);
  return Tensor::of(all, {count}, low().with(DType::i32));
}

Tensor rows() { return Tensor::random({count, width}, Distribution::normal, {4, 0, 1}, low()); }

TEST(RoundedPositions, EveryCodeIsThatOfF32RoundedOnce) {
  for (const auto& entry : positions()) {
    const auto code = entry.make();
    Init init(low(), 3);
    code->build(width, init);
    const RowPositions at{numbers(), count};
    const Tensor expected = cast((*code)(widened(rows()), at), DType::bf16);
    EXPECT_TRUE(same_bits((*code)(rows(), at), expected)) << entry.name;
  }
}

TEST(RoundedPositions, RotationsAreThoseOfF32RoundedOnce) {
  Tensor x = rows().watch();
  Tensor wide = widened(x.detached()).clone().watch();
  const Tensor y = rotate(x, numbers());
  const Tensor expected = rotate(wide, numbers());
  EXPECT_TRUE(same_bits(y, cast(expected, DType::bf16)));
  const Tensor dy = Tensor::random(y.shape(), Distribution::normal, {4, 0, 2}, low());
  y.backward(dy);
  expected.backward(widened(dy));
  EXPECT_TRUE(same_bits(x.gradient(), cast(wide.gradient(), DType::bf16)));
}

}  // namespace
}  // namespace heed::test::rounded_positions_test
