#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "heed/api/engine.h"
#include "heed/base/file.h"
#include "tests/api/failure_of.h"
#include "tests/base/scratch_directory.h"

namespace heed::training_test {
namespace {

using test::failure_of;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr const char* tiny = R"(
[data]
synth = "reverse"
train_examples = 40
valid_examples = 6

[model]
embedding = 4
encoder = "bag"
decoder = { kind = "attend_first", width = 5, embedding = 4 }

[training]
steps = 6
batch_sentences = 8
validate_every = 3
samples = 0
)";

TEST(Training, TellsOfItselfAndPrintsNothing) {
  const ScratchDirectory scratch;
  std::string heard;
  const Engine engine({.backend = "reference", .log = [&heard](LogLevel, const std::string& line) {
                         heard += line + "\n";
                       }});
  std::vector<int64_t> steps;
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  const TrainingResult result =
      engine.train({.text = tiny,
                    .settings = {"training.steps=4"},
                    .folder = scratch / "run",
                    .on_step = [&](const TrainingStep& now) { steps.push_back(now.step); }});
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(result.end, TrainingEnd::finished);
  EXPECT_EQ(result.step, 4);
  EXPECT_TRUE(result.best.has_value());
  EXPECT_EQ(steps, (std::vector<int64_t>{1, 2, 3, 4}));
  EXPECT_THAT(heard, HasSubstr("recipe: 40 training and 6 validation pairs"));
  EXPECT_EQ(engine.memory().kept, 0U) << "a training gives its memory back";
  EXPECT_THAT(engine.load(result.model).translate({.sources = {"a b"}}), SizeIs(1));
}

TEST(Training, SaysWhichSettingReplacesAnother) {
  const ScratchDirectory scratch;
  std::string heard;
  const Engine engine({.backend = "reference", .log = [&heard](LogLevel, const std::string& line) {
                         heard += line + "\n";
                       }});
  engine.train({.text = tiny, .settings = {"training.epochs=1"}, .folder = scratch / "run"});
  EXPECT_THAT(heard, HasSubstr("epochs = 1 of settings replaces steps = "));
  EXPECT_THAT(heard, HasSubstr(" of recipe\n"));
  EXPECT_THAT(failure_of([&] {
                engine.train({.text = tiny,
                              .settings = {"training.epochs=1", "training.steps=4"},
                              .folder = scratch / "both"});
              }),
              HasSubstr("leave one out (settings training.epochs=0)"));
}

TEST(Training, CanBeStoppedAndGoesOn) {
  const ScratchDirectory scratch;
  const Engine engine({.backend = "reference"});
  std::stop_source source;
  TrainingRequest request{.text = tiny, .folder = scratch / "run"};
  request.stop = source.get_token();
  request.on_step = [&](const TrainingStep& now) {
    if (now.step == 2) {
      source.request_stop();
    }
  };
  const TrainingResult stopped = engine.train(request);
  EXPECT_EQ(stopped.end, TrainingEnd::cancelled);
  EXPECT_EQ(stopped.step, 2);
  request.stop = {};
  EXPECT_EQ(engine.train(request).step, 6);
  EXPECT_EQ(engine.train({.text = tiny, .folder = scratch / "whole"}).end, TrainingEnd::finished);
  EXPECT_EQ(read_file(scratch / "run/model.safetensors"),
            read_file(scratch / "whole/model.safetensors"));
}

TEST(Training, AnExceptionOfACallbackPassesThroughAsItIs) {
  const ScratchDirectory scratch;
  const Engine engine({.backend = "reference"});
  TrainingRequest request{.text = tiny, .folder = scratch / "run"};
  request.on_step = [](const TrainingStep&) { throw std::out_of_range("enough"); };
  EXPECT_THROW(engine.train(request), std::out_of_range);
  request.on_step = {};
  EXPECT_EQ(engine.train(request).end, TrainingEnd::finished) << "the folder is free again";
}

TEST(Training, SaysWhatIsWrongWithARequest) {
  const ScratchDirectory scratch;
  const Engine engine({.backend = "reference"});
  const auto failure = [&](const TrainingRequest& request) {
    return failure_of([&] { engine.train(request); });
  };
  EXPECT_THAT(failure({.folder = scratch / "run"}), HasSubstr("2 train: there is no recipe"));
  EXPECT_THAT(failure({.text = tiny}),
              HasSubstr("2 train: there is no folder to keep the run in; name one"));
  EXPECT_THAT(failure({.text = "[model]\nencodr = 1\n", .folder = scratch / "run"}),
              HasSubstr("2 recipe:2:1: model.encodr: "));
  EXPECT_THAT(failure({.recipe = scratch / "absent.toml", .folder = scratch / "run"}),
              HasSubstr("3 "));
  EXPECT_THAT(failure({.text = tiny, .settings = {"training"}, .folder = scratch / "run"}),
              HasSubstr("2 settings: \"training\" must be PATH=VALUE"));
  EXPECT_THAT(failure({.text = tiny, .settings = {"training.steps=0"}, .folder = scratch / "run"}),
              HasSubstr("2 settings training.steps=0: training.steps: must be"));
  EXPECT_THAT(failure({.text = "data.train = \"$HEED_DATA/a\"\ndata.hold_out = 1",
                       .folder = scratch / "run"}),
              HasSubstr("EngineOptions::data_folder"));
}

}  // namespace
}  // namespace heed::training_test
