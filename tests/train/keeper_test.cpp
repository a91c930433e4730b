#include "heed/train/keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/config/explain.h"
#include "tests/base/scratch_directory.h"
#include "tests/train/full_disk.h"
#include "tests/train/small_run.h"

namespace heed::keeper_test {
namespace {

using test::failure;
using test::FullDisk;
using test::SmallRun;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A keeper of a small run that has taken no step.
struct Kept {
  explicit Kept(const std::string& path) : folder(path) {
    hooks.say = [this](const std::string& line) { said += line + "\n"; };
    hooks.warn = [this](const std::string& line) { warned += line + "\n"; };
    run.training.optimiser->attach(distinct_parameters_of(*run.trained.model));
    run.training.average->attach(distinct_parameters_of(*run.trained.model));
    keeper.emplace(folder, run.training, run.trained,
                   RunSettings{Json::object(), config_of(run.training)}, hooks);
  }

  RunFolder folder;
  SmallRun run;
  RunHooks hooks;
  std::string said;
  std::string warned;
  std::optional<Keeper> keeper;
};

RunState some_state() {
  RunState state;
  state.step = 7;
  state.batches = 14;
  state.tokens = 99;
  state.skipped = 2;
  state.skipped_in_a_row = 1;
  state.window = {1.0 / 3, {0.7, 1e-17}, 3};
  state.validated = 6;
  state.gains = {0.1, 5, 3, 2, 1};
  return state;
}

TEST(Keeper, ReadsBackWhatItWrote) {
  const ScratchDirectory scratch;
  {
    Kept first(scratch.path());
    EXPECT_EQ(first.keeper->resume(), RunState());
    EXPECT_FALSE(first.keeper->checkpoint());
    first.run.training.optimiser->set_updates(5);
    test::poison(first.run, 0.25);
    EXPECT_FALSE(first.keeper->has_saved(some_state()));
    first.keeper->save(some_state(), true);
    EXPECT_TRUE(first.keeper->has_saved(some_state()));
    EXPECT_FALSE(first.keeper->has_saved(RunState()));
  }
  Kept second(scratch.path());
  EXPECT_EQ(second.keeper->resume(), some_state());
  EXPECT_EQ(second.run.training.optimiser->updates(), 5);
  EXPECT_EQ(second.run.weights().front(), 0.25F);
  EXPECT_TRUE(second.keeper->has_saved(some_state()));
  EXPECT_EQ(second.keeper->checkpoint(), scratch / "checkpoints/step-00000007.safetensors");
  EXPECT_THAT(second.said, HasSubstr("resuming after step 7"));
}

TEST(Keeper, AHeldModelIsTheOneOfItsMoment) {
  const ScratchDirectory scratch;
  Kept kept(scratch.path());
  test::poison(kept.run, 0.5);
  kept.keeper->hold_model(3, "loss 1");
  test::poison(kept.run, 0.75);
  EXPECT_FALSE(file_exists(scratch / "model.safetensors"));
  kept.keeper->write_model();
  const TrainedModel model =
      load_model(scratch / "model.safetensors", kept.run.trained.model->place());
  EXPECT_EQ(model.about.at("step"), "3");
  EXPECT_EQ(model.about.at("score"), "loss 1");
  EXPECT_EQ(distinct_parameters_of(*model.model).front().tensor->values().front(), 0.5);
}

TEST(Keeper, WaitsForRoomOnTheDisk) {
  const ScratchDirectory scratch;
  Kept kept(scratch.path());
  {
    const FullDisk full(500);
    kept.keeper->hold_model(3, "loss 1");
    kept.keeper->write_model();
    EXPECT_THAT(kept.warned, HasSubstr("the best model is not saved: "));
    kept.keeper->save(some_state(), false);
    EXPECT_THAT(kept.warned, HasSubstr("step 7 is not saved: "));
    EXPECT_THAT(kept.warned, HasSubstr("the last checkpoint is none"));
    EXPECT_FALSE(kept.keeper->has_saved(some_state()));
    failure(Fault::disk, [&] { kept.keeper->save(some_state(), true); });
    EXPECT_FALSE(file_exists(scratch / "model.safetensors"));
  }
  kept.keeper->save(some_state(), true);
  EXPECT_TRUE(file_exists(scratch / "model.safetensors"));
  EXPECT_THAT(list_directory(scratch / "checkpoints"), ElementsAre("step-00000007.safetensors"));
}

}  // namespace
}  // namespace heed::keeper_test
