#include "heed/train/schedules.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/config/apply.h"
#include "tests/support/worked_out.h"

namespace heed::schedules_test {
namespace {

std::unique_ptr<Schedule> schedule_of(const std::string& kind, const std::string& settings) {
  auto made = make_part(schedules(), kind);
  apply(*made, parse_json(settings, "test"));
  return made;
}

TEST(Schedules, ConstantRisesThenStays) {
  const auto s = schedule_of("constant", R"({"warm_up": 4})");
  EXPECT_DOUBLE_EQ(s->factor({.step = 0, .steps = 10}), 0.25);
  EXPECT_DOUBLE_EQ(s->factor({.step = 2, .steps = 10}), 0.75);
  EXPECT_DOUBLE_EQ(s->factor({.step = 3, .steps = 10}), 1);
  EXPECT_DOUBLE_EQ(s->factor({.step = 1000, .steps = 10}), 1);
  EXPECT_DOUBLE_EQ(schedule_of("constant", "{}")->factor({.step = 0, .steps = 10}), 1);
}

TEST(Schedules, InverseSquareRootPeaksAtItsWarmUp) {
  // 0.1 · 16^½ = 0.4 …: the formula of Vaswani 2017 over its own peak.
  const auto s = schedule_of("inverse_square_root", R"({"warm_up": 16})");
  const auto vaswani = [](double n) { return std::min(1 / std::sqrt(n), n * std::pow(16, -1.5)); };
  for (const int64_t n : {1, 2, 15, 16, 17, 64, 10000}) {
    EXPECT_NEAR(s->factor({.step = n - 1, .steps = 1}),
                vaswani(static_cast<double>(n)) / vaswani(16), 1e-12)
        << n;
  }
  EXPECT_DOUBLE_EQ(s->factor({.step = 63, .steps = 1}), 0.5);
}

TEST(Schedules, CosineFallsFromOneToItsLeast) {
  const auto s = schedule_of("cosine", R"({"warm_up": 2, "least": 0.1})");
  EXPECT_DOUBLE_EQ(s->factor({.step = 0, .steps = 102}), 0.5);
  EXPECT_DOUBLE_EQ(s->factor({.step = 1, .steps = 102}), 1);
  EXPECT_NEAR(s->factor({.step = 51, .steps = 102}), 0.55, 1e-12);
  EXPECT_NEAR(s->factor({.step = 26, .steps = 102}), 0.1 + 0.9 * (1 + std::sqrt(0.5)) / 2, 1e-12);
  EXPECT_NEAR(s->factor({.step = 101, .steps = 102}), 0.1, 1e-12);
  EXPECT_NEAR(s->factor({.step = 5000, .steps = 102}), 0.1, 1e-12);
}

TEST(Schedules, LinearFallsByEqualSteps) {
  const auto s = schedule_of("linear", R"({"warm_up": 2, "least": 0.2})");
  EXPECT_DOUBLE_EQ(s->factor({.step = 0, .steps = 10}), 0.5);
  EXPECT_DOUBLE_EQ(s->factor({.step = 1, .steps = 10}), 1);
  EXPECT_DOUBLE_EQ(s->factor({.step = 2, .steps = 10}), 0.9);
  EXPECT_DOUBLE_EQ(s->factor({.step = 5, .steps = 10}), 0.6);
  EXPECT_DOUBLE_EQ(s->factor({.step = 9, .steps = 10}), 0.2);
  EXPECT_DOUBLE_EQ(s->factor({.step = 90, .steps = 10}), 0.2);
}

TEST(Schedules, ExponentialFallsByEqualFactors) {
  const auto s = schedule_of("exponential", R"({"warm_up": 2, "least": 0.0625})");
  EXPECT_DOUBLE_EQ(s->factor({.step = 0, .steps = 10}), 0.5);
  EXPECT_DOUBLE_EQ(s->factor({.step = 1, .steps = 10}), 1);
  EXPECT_NEAR(s->factor({.step = 5, .steps = 10}), 0.25, 1e-12);  // 0.0625^(4/8)
  EXPECT_NEAR(s->factor({.step = 7, .steps = 10}), 0.125, 1e-12);
  EXPECT_NEAR(s->factor({.step = 9, .steps = 10}), 0.0625, 1e-12);
  EXPECT_NEAR(s->factor({.step = 90, .steps = 10}), 0.0625, 1e-12);
}

TEST(Schedules, InverseSigmoidFallsLate) {
  // k = 10 and 200 steps: i is 0.5, 50 and 100 per cent, and 10 ln 10 = 23.0 at about step 46.
  const auto s = schedule_of("inverse_sigmoid", R"({"k": 10})");
  EXPECT_NEAR(s->factor({.step = 0, .steps = 200}), 10 / (10 + std::exp(0.05)), 1e-12);
  EXPECT_NEAR(s->factor({.step = 99, .steps = 200}), 10 / (10 + std::exp(5.0)), 1e-12);
  EXPECT_NEAR(s->factor({.step = 199, .steps = 200}), 10 / (10 + std::exp(10.0)), 1e-12);
  EXPECT_NEAR(s->factor({.step = 999, .steps = 200}), 10 / (10 + std::exp(10.0)), 1e-12);
  EXPECT_NEAR(s->factor({.step = 45, .steps = 200}), 0.5, 0.001);
}

TEST(Schedules, StepFallsByStairs) {
  const auto s = schedule_of("step", R"({"every": 10, "fall": 0.5})");
  EXPECT_DOUBLE_EQ(s->factor({.step = 8, .steps = 100}), 1);  // n = 9
  EXPECT_DOUBLE_EQ(s->factor({.step = 9, .steps = 100}), 0.5);
  EXPECT_DOUBLE_EQ(s->factor({.step = 18, .steps = 100}), 0.5);
  EXPECT_DOUBLE_EQ(s->factor({.step = 35, .steps = 100}), 0.125);
}

TEST(Schedules, PlateauFallsWhenItIsTold) {
  const auto s =
      schedule_of("plateau", R"({"warm_up": 4, "patience": 2, "fall": 0.1, "least": 0.005})");
  EXPECT_DOUBLE_EQ(s->factor({.step = 1, .steps = 100}), 0.5);
  EXPECT_DOUBLE_EQ(s->factor({.step = 50, .steps = 100}), 1);
  EXPECT_DOUBLE_EQ(s->factor({.step = 50, .steps = 100, .falls = 2}), 0.01);
  EXPECT_DOUBLE_EQ(s->factor({.step = 50, .steps = 100, .falls = 3}), 0.005);
  EXPECT_FALSE(s->falls_after(1));
  EXPECT_TRUE(s->falls_after(2));
  for (const auto& entry : schedules()) {
    EXPECT_EQ(entry.make()->watches_validation(), entry.name == "plateau");
  }
}

TEST(Schedules, StayWithinZeroAndOne) {
  for (const auto& entry : schedules()) {
    const auto schedule = entry.make();
    for (int64_t step = 0; step < 3000; step += 7) {
      EXPECT_GE(schedule->factor({.step = step, .steps = 2000}), 0) << entry.name;
      EXPECT_LE(schedule->factor({.step = step, .steps = 2000}), 1) << entry.name;
    }
  }
}

TEST(Schedules, EveryOneIsWorkedOut) {
  test::expect_worked_out(schedules(),
                          {{"constant", "Schedules.ConstantRisesThenStays"},
                           {"inverse_square_root", "Schedules.InverseSquareRootPeaksAtItsWarmUp"},
                           {"linear", "Schedules.LinearFallsByEqualSteps"},
                           {"cosine", "Schedules.CosineFallsFromOneToItsLeast"},
                           {"exponential", "Schedules.ExponentialFallsByEqualFactors"},
                           {"inverse_sigmoid", "Schedules.InverseSigmoidFallsLate"},
                           {"step", "Schedules.StepFallsByStairs"},
                           {"plateau", "Schedules.PlateauFallsWhenItIsTold"}});
}

}  // namespace
}  // namespace heed::schedules_test
