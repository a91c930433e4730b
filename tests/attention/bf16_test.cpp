// Attention between rows in bf16: positions and slots are exact, scores and weights f32, and
// contexts and gradients those of f32 within what rounding allows.
#include <gtest/gtest.h>

#include "heed/ops/cast.h"
#include "heed/ops/reshape.h"
#include "tests/attention/rig.h"
#include "tests/support/rounding.h"

namespace heed::test::bf16_test {
namespace {

Place low() { return {&forced("reference"), DType::bf16}; }

/// bf16 holds whole numbers up to 256.
TEST(AttentionInBf16, PositionsAndSlotsAreExact) {
  const std::vector<int32_t> length = {600};
  const Geometry geometry(
      {.queries = Layout::packed(length, low()), .memory_lengths = length, .place = low()});
  const Tensor position = Tensor::of(std::vector<int32_t>{257, 599}, {2}, low().with(DType::i32));
  const Geometry over_caches = Geometry::over_caches(position, low());
  EXPECT_EQ(geometry.position().values()[301], 301);
  EXPECT_EQ(geometry.slots().values()[0], 600);
  EXPECT_EQ(over_caches.position().values(), (std::vector<double>{257, 599}));
  EXPECT_EQ(over_caches.slots().values(), (std::vector<double>{258, 600}));
  EXPECT_EQ(slot_numbers(600, Tensor::zeros({1}, low())).values()[301], 301);
}

bool is_among(const std::string& one, std::initializer_list<const char*> names) {
  return std::find(names.begin(), names.end(), one) != names.end();
}

/// Whether a part chooses slots: rounding may choose another one, and nothing bounds that.
bool chooses(const Arrangement& arranged) {
  return is_among(arranged.normaliser, {"gumbel", "hard", "topk"}) ||
         std::any_of(arranged.focus.begin(), arranged.focus.end(), [&](const std::string& focus) {
           return is_among(focus, {"monotonic", "local_p"});
         });
}

/// Whether gradients jump where rounding lets a slot in or out.
bool has_jumping_gradients(const Arrangement& arranged) {
  return is_among(arranged.normaliser, {"relu", "sparsemax"});
}

struct Computed {
  Attended seen;
  std::vector<double> gradient;  // of rows and parameters, one behind the other
  int64_t roundings = 0;
  int64_t roundings_of_both = 0;  // passes
};

Computed computed(const Arrangement& arranged, const Place& place, RecordingBackend& backend) {
  Rig rig(arranged, place);
  backend.take();
  Computed out;
  out.seen = rig.look({.weights = true});
  out.roundings = roundings_of(backend.take());
  const Tensor seed =
      Tensor::random(out.seen.context.shape(), Distribution::normal, {9, 0, 1}, place.exact());
  out.seen.context.backward(cast(seed, place.dtype));
  out.roundings_of_both = out.roundings + roundings_of(backend.take());
  for (const Tensor& leaf : rig.leaves()) {
    const Tensor gradient = leaf.gradient();
    if (gradient.defined()) {
      EXPECT_EQ(gradient.dtype(), leaf.dtype());
      const std::vector<double> values = gradient.values();
      out.gradient.insert(out.gradient.end(), values.begin(), values.end());
    }
  }
  return out;
}

/// A weight's relative error is as large as the error of its score, which is that of its operands
/// times the score: the dot product of 16 channels of variance 1 has a deviation of √16, and no
/// other score has more.
constexpr double steepest = 4;

TEST(AttentionInBf16, EveryArrangementIsThatOfF32Rounded) {
  RecordingBackend backend(forced("reference"));
  for (const Arrangement& arranged : every_arrangement()) {
    if (chooses(arranged)) {
      continue;
    }
    const Computed exact = computed(arranged, {&backend, DType::f32}, backend);
    const Computed rounded = computed(arranged, {&backend, DType::bf16}, backend);
    ASSERT_EQ(rounded.seen.context.dtype(), DType::bf16) << arranged.name();
    ASSERT_EQ(rounded.seen.weights.dtype(), DType::f32) << arranged.name();
    const double most = steepest * rounding_bound(rounded.roundings + 2);  // with the rows' own
    EXPECT_LT(distance(rounded.seen.context.values(), exact.seen.context.values()), most)
        << arranged.name();
    EXPECT_LT(distance(rounded.seen.weights.values(), exact.seen.weights.values()), most)
        << arranged.name();
    if (!has_jumping_gradients(arranged)) {
      EXPECT_LT(distance(rounded.gradient, exact.gradient),
                steepest * rounding_bound(rounded.roundings_of_both + 2))
          << arranged.name();
    }
  }
}

}  // namespace
}  // namespace heed::test::bf16_test
