// Numbers that are not finite, disks that are full.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>

#include "tests/base/scratch_directory.h"
#include "tests/train/full_disk.h"
#include "tests/train/small_run.h"

namespace heed::trainer_fault_test {
namespace {

using test::failure;
using test::FullDisk;
using test::metrics_of;
using test::poison;
using test::SmallRun;
using test::stop_after;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Trainer, SkipsAStepThatIsNotFinite) {
  const ScratchDirectory scratch;
  SmallRun run;
  double before = 0;
  run.options.hooks.on_step = [&](const StepReport& report) {
    if (report.step == 5) {
      before = poison(run, std::numeric_limits<double>::quiet_NaN());
    } else if (report.step == 7) {
      poison(run, before);
    }
  };
  const TrainReport report = run.run(scratch.path());
  EXPECT_EQ(report.ending, Ending::finished);
  EXPECT_EQ(report.state.skipped, 2);
  EXPECT_EQ(report.state.skipped_in_a_row, 0);
  EXPECT_THAT(run.said, HasSubstr("skipping step 6"));
  for (const float weight : run.weights()) {
    EXPECT_TRUE(std::isfinite(weight));
  }
}

TEST(Trainer, GivesUpWhenNothingIsFinite) {
  const ScratchDirectory scratch;
  SmallRun run(R"({"steps": 40, "save_every": 20, "validate_every": 0})");
  run.options.hooks.on_step = [&](const StepReport& report) {
    if (report.step == 21) {
      poison(run, std::numeric_limits<double>::quiet_NaN());
    }
  };
  const std::string said = failure(Fault::diverged, [&] { run.run(scratch.path()); });
  EXPECT_THAT(said, HasSubstr("at step 26, now 5 in a row"));
  EXPECT_THAT(said, HasSubstr("step-00000020.safetensors"));
  EXPECT_THAT(list_directory(scratch / "checkpoints"), ElementsAre("step-00000020.safetensors"));
  SmallRun again(R"({"steps": 40, "save_every": 20, "validate_every": 0})");
  EXPECT_EQ(again.run(scratch.path()).ending, Ending::finished);
}

TEST(Trainer, IsPatientWithWhatIsNotFiniteAsLongAsItIsTold) {
  for (const int64_t most : {1, 8}) {
    const ScratchDirectory scratch;
    SmallRun run(fmt::format(R"({{"steps": 40, "validate_every": 0, "most_skipped": {}}})", most));
    run.options.hooks.on_step = [&](const StepReport& report) {
      if (report.step == 5) {
        poison(run, std::numeric_limits<double>::quiet_NaN());
      }
    };
    run.training.save_every = 100;
    EXPECT_THAT(failure(Fault::diverged, [&] { run.run(scratch.path()); }),
                HasSubstr(fmt::format("at step {}, now {} in a row", 5 + most, most)));
  }
}

/// The model is not finite while it is judged; it is saved as it was.
void poison_validations(SmallRun& run) {
  auto done = std::make_shared<int64_t>(0);
  auto before = std::make_shared<std::optional<double>>();
  run.options.hooks.on_step = [done](const StepReport& report) { *done = report.step; };
  run.options.hooks.on_pause = [&run, done, before](bool begins) {
    if (begins && *done > 0) {  // the first pause after a step is a validation
      *before = poison(run, std::numeric_limits<double>::quiet_NaN());
      *done = 0;
    } else if (*before) {
      poison(run, **before);
      before->reset();
    }
  };
}

TEST(Trainer, ARunWithoutAFiniteValidationHasDiverged) {
  for (const char* changes : {R"({"steps": 6, "save_every": 40})",
                              R"({"validate_every": 1, "save_every": 40, "patience": 3})"}) {
    const ScratchDirectory scratch;
    for (int runs = 0; runs < 2; ++runs) {  // the second has nothing left to do
      SmallRun run(changes);
      poison_validations(run);
      const std::string said = failure(Fault::diverged, [&] { run.run(scratch.path()); });
      EXPECT_THAT(said, HasSubstr("no validation was finite, so there is no model; lower the"));
      EXPECT_THAT(said, HasSubstr("the last checkpoint is " + scratch.path()));
      EXPECT_THAT(run.said, ::testing::AnyOf(HasSubstr("all 6 steps are done"),
                                             HasSubstr("(none was finite)")));
    }
    EXPECT_FALSE(file_exists(scratch / "model.safetensors"));
  }
}

TEST(Trainer, NeverSavesWhatIsNotFinite) {
  const ScratchDirectory scratch;
  SmallRun run(R"({"validate_every": 0})");
  run.options.hooks.on_step = [&](const StepReport& report) {
    if (report.step == 8) {
      poison(run, std::numeric_limits<double>::infinity());
    }
  };
  failure(Fault::diverged, [&] { run.run(scratch.path()); });
  EXPECT_THAT(list_directory(scratch / "checkpoints"), ElementsAre("step-00000004.safetensors"));
}

TEST(Trainer, AFullDiskLosesNothing) {
  const ScratchDirectory scratch;
  SmallRun whole;
  whole.run(scratch / "whole");
  SmallRun first;
  stop_after(first, 8);
  first.run(scratch / "run");
  const auto before = list_directory(scratch / "run/checkpoints");
  SmallRun second;
  {
    const FullDisk full(5000);
    EXPECT_THAT(failure(Fault::disk, [&] { second.run(scratch / "run"); }),
                HasSubstr("safetensors"));
  }
  EXPECT_EQ(list_directory(scratch / "run/checkpoints"), before);
  SmallRun third;
  third.run(scratch / "run");
  EXPECT_EQ(third.weights(), whole.weights());
}

TEST(Trainer, SavesThatFailAreTriedAgain) {
  const ScratchDirectory scratch;
  for (const char* settings : {R"({"save_every": 1, "validate_every": 3})",
                               R"({"save_every": 1, "validate_every": 0, "average": "ema"})"}) {
    SCOPED_TRACE(settings);
    SmallRun whole(settings);
    whole.run(scratch / "whole");
    std::optional<FullDisk> full;
    std::vector<std::string> warned;
    SmallRun run(settings);
    run.options.hooks.warn = [&](const std::string& line) { warned.push_back(line); };
    run.options.hooks.on_step = [&](const StepReport& report) {
      if (report.step == 3) {
        full.emplace(500);
      } else if (report.step == 11) {
        EXPECT_THAT(list_directory(scratch / "run/checkpoints"),
                    ElementsAre("step-00000001.safetensors", "step-00000002.safetensors"));
        full.reset();
      }
    };
    run.run(scratch / "run");
    EXPECT_GE(warned.size(), 8U);
    EXPECT_THAT(warned.back(), HasSubstr("step 10 is not saved: "));
    EXPECT_THAT(warned.back(), HasSubstr("the last checkpoint is " + scratch.path() +
                                         "/run/checkpoints/step-00000002.safetensors"));
    EXPECT_EQ(metrics_of(scratch / "run"), metrics_of(scratch / "whole"));
    for (const char* name : {"/model.safetensors", "/checkpoints/step-00000012.safetensors"}) {
      EXPECT_EQ(read_file(scratch.path() + "/run" + name),
                read_file(scratch.path() + "/whole" + name))
          << name;
    }
    std::filesystem::remove_all(scratch / "run");
    std::filesystem::remove_all(scratch / "whole");
  }
}

}  // namespace
}  // namespace heed::trainer_fault_test
