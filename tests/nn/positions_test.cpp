#include "heed/nn/positions.h"

#include <cmath>

#include "heed/config/apply.h"
#include "tests/nn/places.h"
#include "tests/support/gradients_reach.h"

namespace heed::test::positions_test {
namespace {

class PositionsTest : public OnEveryPlace {};
INSTANTIATE_TEST_SUITE_P(Everywhere, PositionsTest, ::testing::ValuesIn(places()), name_of_place);

RowPositions at(const Tensor& number) { return {number, number.numel() + 1000}; }

TEST_P(PositionsTest, RowsStandWhereTheirSequencePutsThem) {
  const std::vector<int32_t> lengths = {2, 0, 3};
  const std::vector<int32_t> first = {0, 7, 4};
  const RowPositions packed = positions_of(Layout::packed(lengths, place()));
  EXPECT_EQ(packed.number.values<int32_t>(), (std::vector<int32_t>{0, 1, 0, 1, 2}));
  EXPECT_EQ(packed.bound, 3);
  const RowPositions padded = positions_of(Layout::padded(lengths, 4, place()), first);
  EXPECT_EQ(padded.number.values<int32_t>(),
            (std::vector<int32_t>{0, 1, 0, 0, 0, 0, 0, 0, 4, 5, 6, 0}));
  EXPECT_EQ(padded.bound, 7);
  EXPECT_EQ(padded.number.dtype(), DType::i32);
  const std::vector<int32_t> one = {0};
  EXPECT_THROW(positions_of(Layout::packed(lengths, place()), one), Error);
}

TEST_P(PositionsTest, SinusoidalAddsTheWavesOfThePaper) {
  const RanOn guard(place());
  int met = 0;
  for (const FixtureCase& c : read_fixture("positions", place())) {
    if (!c.has("waves")) {
      continue;
    }
    SCOPED_TRACE(c.name);
    const auto code = positions().make("sinusoidal");
    apply(*code, Json::object().set("base", c.number("base")));
    Init init(place(), 1);
    const Tensor waves = c.tensor("waves");
    code->build(waves.size(-1), init);
    const Tensor x = normal(waves.shape());
    // Position 100: the angle itself is rounded, hence 64 roundings.
    EXPECT_TRUE(close((*code)(x, at(c.tensor("position"))), x + waves, 64));
    ++met;
  }
  EXPECT_EQ(met, 3);
}

TEST_P(PositionsTest, SinusoidalTakesPositionsBetweenWholeOnes) {
  const Tensor between = Tensor::full({1}, 2.5, place());
  const Tensor x = Tensor::zeros({1, 2}, place());
  EXPECT_TRUE(
      close((*positions().make("sinusoidal"))(x, {between, 3}), {std::sin(2.5), std::cos(2.5)}));
}

/// D = 5 has three sines and two cosines; D = 4 shows the exponents.
TEST_P(PositionsTest, SinusoidalHasItsWavesInHalvesWithEitherSlowestWave) {
  const auto waves_of = [&](int64_t width, const Json& settings) {
    const auto code = positions().make("sinusoidal");
    apply(*code, settings);
    return (*code)(Tensor::zeros({1, width}, place()), {Tensor::full({1}, 3, place()), 4});
  };
  const auto wave = [](double exponent) { return 3 / std::pow(16.0, exponent); };
  Json halves = Json::object().set("base", 16).set("waves", "halves");
  EXPECT_TRUE(
      close(waves_of(5, halves), {std::sin(wave(0)), std::sin(wave(0.4)), std::sin(wave(0.8)),
                                  std::cos(wave(0)), std::cos(wave(0.4))}));
  halves.set("slowest", "the_last");
  EXPECT_TRUE(
      close(waves_of(6, halves), {std::sin(wave(0)), std::sin(wave(0.5)), std::sin(wave(1)),
                                  std::cos(wave(0)), std::cos(wave(0.5)), std::cos(wave(1))}));
  EXPECT_TRUE(close(waves_of(2, halves), {std::sin(3.0), std::cos(3.0)}));
  EXPECT_TRUE(close(waves_of(4, Json::object().set("base", 16).set("slowest", "the_last")),
                    {std::sin(wave(0)), std::cos(wave(0)), std::sin(wave(1)), std::cos(wave(1))}));
}

/// The first positions are looked up in a table, which is made once; others are computed.
TEST_P(PositionsTest, SinusoidalWavesOfItsTableHaveTheBitsOfThoseComputed) {
  const auto code = positions().make("sinusoidal");
  for (const int64_t bound : {300, 5, 1025}) {  // the table grows, and stays
    const Tensor number = whole({0, 4, static_cast<int32_t>(bound) - 1, 1});
    const Tensor x = normal({4, 7});
    constexpr int64_t beyond_every_table = 1 << 20;
    EXPECT_TRUE(same_bits((*code)(x, {number, bound}), (*code)(x, {number, beyond_every_table})))
        << bound;
  }
}

TEST_P(PositionsTest, LearnedAddsRowsOfItsTableAndRefusesWhatLiesBeyond) {
  Init init(place(), 1);
  const auto code = positions().make("learned");
  apply(*code, Json::object().set("maximum", 3));
  code->build(2, init);
  const Tensor table = Tensor::of(std::vector<double>{1, 2, 3, 4, 5, 6}, {3, 2}, place());
  copy_values(table, parameter_named(*code, "table"));
  const Tensor x = Tensor::full({2, 2}, 10, place());
  EXPECT_TRUE(close((*code)(x, {whole({2, 0}), 3}), {15, 16, 11, 12}));
  try {
    (*code)(x, {whole({2, 3}), 4});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "learned positions: there is no position 3, only those below 3; raise the setting "
                 "maximum or shorten the sequence");
  }
}

TEST_P(PositionsTest, NoneAddsNothing) {
  const Tensor x = normal({2, 3});
  EXPECT_TRUE(same_bits((*positions().make("none"))(x, at(whole({5, 6}))), x));
}

TEST_P(PositionsTest, EveryCodeLeavesARowAloneAsInItsBatchAndPassesGradientsOn) {
  const std::vector<int32_t> lengths = {3, 1, 4};
  const Layout batch = Layout::packed(lengths, place());
  const Tensor x = normal({8, 6});
  for (const auto& entry : positions()) {
    SCOPED_TRACE(entry.name);
    Init init(place(), 1);
    const auto code = make_part(positions(), entry.name);
    code->build(6, init);
    const Tensor together = (*code)(x, positions_of(batch));
    const std::vector<int32_t> four = {4};
    const Tensor last = x.seen_as(sliced(x.view(), 0, 4, 4));
    const Tensor alone = (*code)(last, positions_of(Layout::packed(four, place())));
    EXPECT_TRUE(same_bits(alone, together.seen_as(sliced(together.view(), 0, 4, 4))));
    Tensor leaf = x.clone().watch();
    EXPECT_TRUE(gradients_reach(*code, [&] { return (*code)(leaf, positions_of(batch)); }));
    EXPECT_TRUE(leaf.gradient().defined());
  }
}

}  // namespace
}  // namespace heed::test::positions_test
