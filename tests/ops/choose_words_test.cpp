// The likeliest words of rows, against the definition on the host and in one call as in many.
#include "heed/ops/choose_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/device/kernel/choose_words.h"
#include "tests/support/backends.h"
#include "tests/support/recording_backend.h"
#include "tests/support/tolerance.h"

namespace heed::test::choose_words_test {
namespace {

constexpr int64_t rows = 5;
constexpr int64_t words = 37;

class ChosenWords : public ::testing::TestWithParam<Place> {};
INSTANTIATE_TEST_SUITE_P(Everywhere, ChosenWords, ::testing::ValuesIn(places()), name_of_place);

Tensor whole(const std::vector<int32_t>& values, const Shape& shape, const Place& place) {
  return Tensor::of(values, shape, place.with(DType::i32));
}

/// Row 1 is forced; rows 2 and 3 have closed words, row 3 its own best.
ChooseWordsOptions options_on(const Place& place, int32_t best_of_third) {
  return {.most = 4,
          .forced = whole({-1, 7, -1, -1, -1}, {rows}, place),
          .closed = whole({-1, -1, -1, -1, 3, 9, best_of_third, -1, -1, -1}, {rows, 2}, place)};
}

std::vector<int32_t> order_of(const std::vector<double>& x) {
  std::vector<int32_t> order(x.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&x](int32_t a, int32_t b) {
    return x[static_cast<size_t>(a)] > x[static_cast<size_t>(b)];
  });
  return order;
}

TEST_P(ChosenWords, AreTheLikeliestOfEachRow) {
  const RanOn guard(GetParam());
  const Tensor logits = Tensor::random({rows, words}, Distribution::normal, {8, 0, 1}, GetParam());
  const std::vector<double> all = logits.values<double>();
  const auto row_of = [&](int64_t q) {
    return std::vector<double>(all.begin() + q * words, all.begin() + (q + 1) * words);
  };
  const int32_t best = order_of(row_of(3)).front();
  const RowWords chosen = choose_words(logits, options_on(GetParam(), best));
  const auto ids = chosen.ids.values<int32_t>();
  const auto log_p = chosen.log_probability.values<double>();
  for (int64_t q = 0; q < rows; ++q) {
    SCOPED_TRACE(q);
    const std::vector<double> x = row_of(q);
    const auto order = order_of(x);
    double total = 0;
    for (const double v : x) {
      total += std::exp(v - x[static_cast<size_t>(order[0])]);
    }
    const auto log_p_of = [&](int32_t word) {
      return x[static_cast<size_t>(word)] - x[static_cast<size_t>(order[0])] - std::log(total);
    };
    EXPECT_NEAR(chosen.most.values<double>()[static_cast<size_t>(q)],
                x[static_cast<size_t>(order[0])], 1e-6);
    EXPECT_NEAR(chosen.loss.values<double>()[static_cast<size_t>(q)], std::log(total), 1e-5);
    for (int64_t i = 0; i < 4; ++i) {
      const auto at = static_cast<size_t>(4 * q + i);
      const int32_t word = q == 1 ? 7 : order[static_cast<size_t>(i)];
      EXPECT_EQ(ids[at], word);
      const bool is_closed = (q == 2 && (word == 3 || word == 9)) || (q == 3 && word == best);
      if (is_closed || (q == 1 && i > 0)) {
        EXPECT_EQ(log_p[at], -HUGE_VAL);
      } else {
        EXPECT_NEAR(log_p[at], log_p_of(word), 1e-5);
      }
    }
  }
}

TEST_P(ChosenWords, AreTakenAsTheyAreWhereTheyAreSums) {
  const Tensor sums = Tensor::random({rows, words}, Distribution::normal, {8, 0, 2}, GetParam());
  const RowWords chosen = choose_words(sums, {.most = 100, .is_as_it_is = true});
  EXPECT_EQ(chosen.ids.shape(), (Shape{rows, words}));
  const auto all = sums.values<double>();
  const auto ids = chosen.ids.values<int32_t>();
  const auto log_p = chosen.log_probability.values<double>();
  for (size_t i = 0; i < ids.size(); ++i) {
    EXPECT_EQ(log_p[i], all[i / words * words + static_cast<size_t>(ids[i])]);
  }
  EXPECT_EQ(chosen.loss.values<double>(), std::vector<double>(rows, 0));
}

TEST(ChosenWordsCalls, AreOneWithTheBitsOfMany) {
  RecordingBackend whole_slot(forced("cpu"));
  RecordingBackend parts(forced("cpu"));
  parts.hide<ChooseWords>();
  std::vector<std::vector<float>> log_p;
  std::vector<std::vector<int32_t>> ids;
  for (RecordingBackend* backend : {&whole_slot, &parts}) {
    const Place place{backend, DType::f32};
    const Tensor logits = Tensor::random({rows, 3000}, Distribution::normal, {8, 0, 3}, place);
    const ChooseWordsOptions options = options_on(place, 11);
    backend->take();
    const RowWords chosen = choose_words(logits, options);
    const size_t calls = backend->take().calls.size();
    EXPECT_EQ(calls == 1, backend == &whole_slot) << calls;
    const auto values = chosen.log_probability.values<float>();
    const auto own = chosen.ids.values<int32_t>();
    log_p.emplace_back(values.begin(), values.end());
    ids.emplace_back(own.begin(), own.end());
  }
  EXPECT_EQ(log_p[0], log_p[1]);
  EXPECT_EQ(ids[0], ids[1]);
}

}  // namespace
}  // namespace heed::test::choose_words_test
