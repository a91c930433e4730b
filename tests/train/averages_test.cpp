#include "heed/train/averages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heed/base/json.h"
#include "heed/config/apply.h"
#include "tests/support/backends.h"
#include "tests/support/tolerance.h"

namespace heed::averages_test {
namespace {

class Averages : public ::testing::TestWithParam<Place> {};
INSTANTIATE_TEST_SUITE_P(Everywhere, Averages, ::testing::ValuesIn(test::places()),
                         test::name_of_place);

std::unique_ptr<Average> average_of(const std::string& kind, const std::string& settings) {
  auto made = make_part(averages(), kind);
  apply(*made, parse_json(settings, "test"));
  return made;
}

/// The weights after step n of some run.
std::vector<double> weights_at(int64_t step) {
  const auto n = static_cast<double>(step);
  return {n, 1 / n, std::sin(n)};
}

void run(Average& average, Tensor& p, int64_t from, int64_t to) {
  for (int64_t step = from; step <= to; ++step) {
    copy_values(Tensor::of(weights_at(step), {3}, p.place()), p);
    average.follow(step);
  }
}

TEST_P(Averages, EmaIsItsFormula) {
  Tensor p = Tensor::zeros({3}, GetParam()).watch();
  auto average = average_of("ema", R"({"decay": 0.6})");
  average->attach({{"p", &p}});
  EXPECT_FALSE(average->differs());
  std::vector<double> expected(3, 0);
  for (int64_t step = 1; step <= 40; ++step) {
    run(*average, p, step, step);
    const auto t = static_cast<double>(step);
    const double d = std::min(0.6, (t - 1) / (t + 9));
    for (size_t i = 0; i < 3; ++i) {
      expected[i] = d * expected[i] + (1 - d) * weights_at(step)[i];
    }
    EXPECT_TRUE(test::close(average->means()[0], expected, 64)) << step;
  }
}

TEST_P(Averages, LastIsTheMeanOfTheLast) {
  Tensor p = Tensor::zeros({3}, GetParam()).watch();
  auto average = average_of("last", R"({"n": 3, "every": 4})");
  average->attach({{"p", &p}});
  run(*average, p, 1, 3);
  EXPECT_FALSE(average->differs());
  for (int64_t step = 4; step <= 30; ++step) {
    run(*average, p, step, step);
    std::vector<double> sum(3, 0);
    const int64_t newest = step / 4 * 4;
    const int64_t count = std::min<int64_t>(3, newest / 4);
    for (int64_t k = 0; k < count; ++k) {
      for (size_t i = 0; i < 3; ++i) {
        sum[i] += weights_at(newest - 4 * k)[i] / static_cast<double>(count);
      }
    }
    EXPECT_TRUE(test::close(average->means()[0], sum, 64)) << step;
  }
}

TEST_P(Averages, GoOnExactlyFromTheirState) {
  for (const auto& entry : averages()) {
    SCOPED_TRACE(entry.name);
    const std::string settings = entry.name == "last" ? R"({"n": 2, "every": 3})" : "{}";
    Tensor p = Tensor::zeros({3}, GetParam()).watch();
    auto whole = average_of(entry.name, settings);
    auto first = average_of(entry.name, settings);
    auto second = average_of(entry.name, settings);
    for (Average* one : {whole.get(), first.get(), second.get()}) {
      one->attach({{"p", &p}});
    }
    run(*whole, p, 1, 20);
    run(*first, p, 1, 8);
    second->set_taken(first->taken());
    const auto from = first->state();
    const auto to = second->state();
    EXPECT_EQ(from.empty(), entry.name == "none");
    for (size_t i = 0; i < from.size(); ++i) {
      EXPECT_EQ(from[i].name, to[i].name);
      copy_values(*from[i].tensor, *to[i].tensor);
    }
    run(*second, p, 9, 20);
    ASSERT_EQ(second->differs(), whole->differs());
    if (whole->differs()) {
      EXPECT_TRUE(test::same_bits(whole->means()[0], second->means()[0]));
    }
  }
}

TEST_P(Averages, StandInForTheWeightsAndGiveThemBack) {
  for (const auto& entry : averages()) {
    SCOPED_TRACE(entry.name);
    Tensor p = Tensor::zeros({3}, GetParam()).watch();
    auto average = average_of(entry.name, entry.name == "last" ? R"({"every": 2})" : "{}");
    average->attach({{"p", &p}});
    run(*average, p, 1, 7);
    const Tensor before = p.clone();
    {
      const MeanInPlace mean(*average);
      EXPECT_EQ(test::same_bits(p, before), entry.name == "none");
      if (average->differs()) {
        EXPECT_TRUE(test::same_bits(p, average->means()[0]));
      }
    }
    EXPECT_TRUE(test::same_bits(p, before));
  }
}

}  // namespace
}  // namespace heed::averages_test
