#include "heed/train/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "heed/train/schedules.h"
#include "tests/base/scratch_directory.h"
#include "tests/train/full_disk.h"
#include "tests/train/small_run.h"

namespace heed::journal_test {
namespace {

using test::metrics_of;
using ::testing::HasSubstr;

struct Written {
  explicit Written(const std::string& path) : folder(path) {
    hooks.say = [this](const std::string& line) { said += line + "\n"; };
    hooks.warn = [this](const std::string& line) { warned += line + "\n"; };
    hooks.on_step = [this](const StepReport& report) { shown.push_back(report); };
    training.steps = 5;
    training.log_every = 2;
    journal.emplace(folder, training, hooks, state, false);
  }
  /// As the loop counts it.
  void step(double loss, double seconds) {
    StepOutcome outcome;
    outcome.loss = loss;
    outcome.tokens = 10;
    outcome.norm.norm = 0.5;
    outcome.learning_rate = 0.25;
    ++state.step;
    state.tokens += outcome.tokens;
    if (outcome.is_finite()) {
      state.window.loss += loss;
      ++state.window.steps;
    }
    journal->add_step(outcome, seconds, state);
  }

  RunFolder folder;
  Training training;
  RunHooks hooks;
  RunState state;
  std::string said;
  std::string warned;
  std::vector<StepReport> shown;
  std::optional<Journal> journal;
};

TEST(Journal, WritesTheMeanOfEachWindow) {
  const ScratchDirectory scratch;
  Written run(scratch.path());
  for (const double loss : {4.0, 3.0, 2.0, static_cast<double>(NAN), static_cast<double>(NAN)}) {
    run.step(loss, 2);
  }
  run.journal->close();
  const auto line = [](int step, int tokens, const char* loss) {
    return fmt::format(R"({{"step":{},"epoch":0,"tokens":{},"loss":{},"learning_rate":0.25,)"
                       R"("gradient_norm":0.5,"skipped":0,"tokens_per_second":0}})"
                       "\n",
                       step, tokens, loss);
  };
  EXPECT_EQ(metrics_of(scratch.path()),
            line(2, 20, "3.5") + line(4, 40, "2.0") + line(5, 50, "null"));
  EXPECT_EQ(run.state.window, LossWindow());
  ASSERT_EQ(run.shown.size(), 5U);
  EXPECT_EQ(run.shown[0].loss, 4);
  EXPECT_EQ(run.shown[1].loss, 3.5);
  EXPECT_EQ(run.shown[4].steps, 5);
  EXPECT_EQ(run.shown[4].tokens_per_second, 5);
}

TEST(Journal, TheRateIsAMovingAverage) {
  const ScratchDirectory scratch;
  Written run(scratch.path());
  run.step(1, 1);
  run.step(1, 0.5);
  EXPECT_EQ(run.shown[0].tokens_per_second, 10);
  EXPECT_EQ(run.shown[1].tokens_per_second, 0.9 * 10 + 0.1 * 20);
}

TEST(Journal, TellsOfValidations) {
  const ScratchDirectory scratch;
  Written run(scratch.path());
  run.training.metric = "exact_match";
  run.training.schedule = make_part(schedules(), "plateau");
  run.state.step = 3;
  run.state.gains = {40, 3, 0, 0, 0};
  run.journal->add_validation({1.5, 40}, {true, false}, run.state);
  run.state.step = 4;
  run.state.gains = {40, 3, 1, 1, 0};
  run.journal->add_validation({1.25, 30}, {false, true}, run.state);
  EXPECT_EQ(run.said,
            "step 3: validation loss 1.5, exact_match 40, the best so far\n"
            "step 4: validation loss 1.25, exact_match 30, no gain for 1 (best 40 at step 3)\n"
            "the learning rate falls to 0.0005\n");
  EXPECT_THAT(
      read_file(scratch / "metrics.jsonl"),
      HasSubstr(
          R"({"step":4,"valid_loss":1.25,"metric":"exact_match","score":30.0,"best":false})"));
  run.journal->add_skipped(run.state, "a loss of inf");
  EXPECT_THAT(run.said, HasSubstr("skipping step 4: a loss of inf (0 skipped so far)"));
}

TEST(Journal, SaysThatNoValidationWasFinite) {
  const ScratchDirectory scratch;
  Written run(scratch.path());
  run.state.step = 3;
  run.state.gains = {std::nullopt, 0, 1, 1, 0};
  run.journal->add_validation({-NAN, -NAN}, {false, false}, run.state);
  run.training.metric = "exact_match";
  run.journal->add_validation({INFINITY, NAN}, {false, false}, run.state);
  EXPECT_EQ(run.said,
            "step 3: validation loss not a number, none was finite yet\n"
            "step 3: validation loss inf, exact_match not a number, none was finite yet\n");
}

TEST(Journal, WarnsOnceOfAFullDisk) {
  const ScratchDirectory scratch;
  Written run(scratch.path());
  {
    const test::FullDisk full(20);
    for (int i = 0; i < 4; ++i) {
      run.step(1, 1);
    }
  }
  EXPECT_EQ(std::count(run.warned.begin(), run.warned.end(), '\n'), 1);
  EXPECT_THAT(run.warned, HasSubstr("the rest is written as soon as possible"));
  run.journal->close();
  EXPECT_THAT(read_file(scratch / "metrics.jsonl"), HasSubstr("\"step\":4"));
}

}  // namespace
}  // namespace heed::journal_test
