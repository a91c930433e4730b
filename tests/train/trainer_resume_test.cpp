// A run that was stopped and resumed ends like one that was not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "heed/base/atomic_file.h"
#include "tests/base/scratch_directory.h"
#include "tests/train/small_run.h"

namespace heed::trainer_resume_test {
namespace {

using test::failure;
using test::metrics_of;
using test::poison;
using test::SmallRun;
using test::stop_after;
using ::testing::HasSubstr;

TEST(Trainer, AnInterruptedRunGoesOnExactly) {
  const ScratchDirectory scratch;
  SmallRun whole;
  const TrainReport expected = whole.run(scratch / "whole");
  // At 6 and 12 the interrupt comes while it validates.
  for (const int64_t step : {1, 5, 6, 8, 11, 12}) {
    SCOPED_TRACE(step);
    const std::string folder = scratch / ("cut-" + std::to_string(step));
    SmallRun first;
    stop_after(first, step);
    const TrainReport stopped = first.run(folder);
    EXPECT_EQ(stopped.ending, Ending::interrupted);
    EXPECT_EQ(stopped.exit_code, 143);
    EXPECT_EQ(stopped.state.step, step);
    // What a killed process may leave: a line of a step that will come again, and half a line.
    const std::string log = folder + "/metrics.jsonl";
    const std::string owed = "{\"step\":6,\"valid_loss\":9}\n";
    write_atomically(
        log, read_file(log) + (step == 6 ? owed : "") + "{\"step\":13,\"loss\":9}\n{\"step\":1");

    SmallRun second;
    poison(second, 0.25);  // what was in the weights before must not matter
    const TrainReport report = second.run(folder);
    EXPECT_THAT(second.said, HasSubstr("resuming after step " + std::to_string(step)));
    EXPECT_EQ(second.weights(), whole.weights());
    EXPECT_EQ(report.state, expected.state);
    EXPECT_EQ(metrics_of(folder), metrics_of(scratch / "whole"));
    for (const char* name : {"/model.safetensors", "/checkpoints/step-00000012.safetensors"}) {
      EXPECT_EQ(read_file(folder + name), read_file(scratch.path() + "/whole" + name)) << name;
    }
  }
}

/// Settings with every kind of state that a run must keep.
const std::vector<std::string> memories = {
    R"({"average": {"kind": "ema", "decay": 0.8}})",
    R"({"average": {"kind": "last", "n": 2, "every": 2}})",
    R"({"average": "ema", "validate_every": 0})",
    R"({"optimiser": {"kind": "adafactor"}})",
    R"({"optimiser": {"kind": "sgd", "momentum": 0.9}})",
    R"({"accumulate": 3, "batch_sentences": 3})",
    R"({"schedule": {"kind": "plateau", "patience": 1}, "validate_every": 2, "min_gain": 9})",
    R"({"objectives": ["teacher_forcing", {"kind": "doubly_stochastic", "schedule": "linear"}]})",
    R"({"feed": {"kind": "random_words", "rate": 0.3, "schedule": "linear"}})",
    R"({"feed": {"kind": "scheduled_sampling", "last": 0.8, "schedule": "inverse_sigmoid"}})",
    R"({"optimiser": "adafactor", "average": "ema", "accumulate": 2, "validate_every": 3,
        "schedule": {"kind": "plateau", "patience": 2}, "min_gain": 9})",
};

/// A run that is stopped after step 5 and resumed ends with the bytes of one that was not stopped.
/// Returns the lines of metrics.
std::string metrics_of_exact_resume(const std::string& training, const std::string& model) {
  const ScratchDirectory scratch;
  SmallRun whole(training, model);
  whole.run(scratch / "whole");
  SmallRun first(training, model);
  stop_after(first, 5);
  EXPECT_EQ(first.run(scratch / "cut").ending, Ending::interrupted);
  SmallRun second(training, model);
  poison(second, 0.25);
  second.run(scratch / "cut");
  EXPECT_EQ(second.weights(), whole.weights());
  for (const char* name : {"/model.safetensors", "/checkpoints/step-00000012.safetensors"}) {
    EXPECT_EQ(read_file(scratch.path() + "/cut" + name),
              read_file(scratch.path() + "/whole" + name))
        << name;
  }
  EXPECT_EQ(metrics_of(scratch / "cut"), metrics_of(scratch / "whole"));
  return metrics_of(scratch / "whole");
}

/// Two decoders, each with its objective; the second is of another kind of attention.
TEST(Trainer, SeveralDecodersGoOnExactly) {
  const std::string training = R"({"objectives": ["teacher_forcing",
    {"kind": "teacher_forcing", "decoder": "second", "weight": 0.5, "schedule": "linear"},
    {"kind": "doubly_stochastic", "decoder": "second"}]})";
  const std::string model =
      R"({"decoders": {"second": {"kind": "attend_after", "width": 6, "embedding": 6}}})";
  const std::string metrics = metrics_of_exact_resume(training, model);
  EXPECT_THAT(metrics, ::testing::AllOf(HasSubstr(R"("objective":"teacher_forcing")"),
                                        HasSubstr(R"("objective":"second.teacher_forcing")"),
                                        HasSubstr(R"("objective":"second.doubly_stochastic")")));
}

/// A second, weighted loss by all paths, beside the attention decoder's.
TEST(Trainer, AttentionAndCtcGoOnExactly) {
  const std::string training = R"({"objectives": [{"kind": "teacher_forcing", "weight": 0.7},
    {"kind": "ctc", "decoder": "frames", "weight": 0.3, "schedule": "linear"}]})";
  const std::string model =
      R"({"decoders": {"frames": {"kind": "ctc", "upsample": 2, "dropout": 0.1}}})";
  const std::string metrics = metrics_of_exact_resume(training, model);
  EXPECT_THAT(metrics, HasSubstr(R"("objective":"frames.ctc")"));
}

/// Masks are drawn by key, so a run that was stopped draws the same.
TEST(Trainer, ADecoderThatFillsGoesOnExactly) {
  const std::string training =
      R"({"objectives": ["cross_entropy", {"kind": "lengths", "weight": 0.1}]})";
  const std::string model = R"({"embedding": 8, "encoder": {"kind": "transformer", "width": 8},
      "decoder": {"kind": "mask_predict", "width": 8, "dropout": 0.1}})";
  EXPECT_THAT(metrics_of_exact_resume(training, model), HasSubstr(R"("objective":"lengths")"));
}

TEST(Trainer, WhateverItRemembersGoesOnExactly) {
  for (const std::string& settings : memories) {
    SCOPED_TRACE(settings);
    const ScratchDirectory scratch;
    SmallRun whole(settings);
    const TrainReport expected = whole.run(scratch / "whole");
    for (const int64_t step : {3, 6}) {
      SCOPED_TRACE(step);
      const std::string folder = scratch / std::to_string(step);
      SmallRun first(settings);
      stop_after(first, step);
      EXPECT_EQ(first.run(folder).ending, Ending::interrupted);
      SmallRun second(settings);
      poison(second, 0.25);
      EXPECT_EQ(second.run(folder).state, expected.state);
      EXPECT_EQ(metrics_of(folder), metrics_of(scratch / "whole"));
      for (const char* name : {"/model.safetensors", "/checkpoints/step-00000012.safetensors"}) {
        EXPECT_EQ(read_file(folder + name), read_file(scratch.path() + "/whole" + name)) << name;
      }
    }
  }
}

TEST(Trainer, AFinishedRunStaysFinished) {
  const ScratchDirectory scratch;
  SmallRun first;
  first.run(scratch.path());
  const std::string bytes = read_file(scratch / "checkpoints/step-00000012.safetensors");
  SmallRun second;
  EXPECT_EQ(second.run(scratch.path()).ending, Ending::finished);
  EXPECT_EQ(second.weights(), first.weights());
  EXPECT_EQ(read_file(scratch / "checkpoints/step-00000012.safetensors"), bytes);
}

TEST(Trainer, ACorruptCheckpointIsNamedAndPassedOver) {
  const ScratchDirectory scratch;
  SmallRun whole;
  whole.run(scratch.path());
  const std::string newest = scratch / "checkpoints/step-00000012.safetensors";
  std::string bytes = read_file(newest);
  bytes[bytes.size() / 2] ^= 1;
  write_atomically(newest, bytes);
  SmallRun second;
  second.run(scratch.path());
  EXPECT_THAT(second.said, HasSubstr("skipping a checkpoint that is not whole: " + newest));
  EXPECT_THAT(second.said, HasSubstr("resuming after step 8"));
  EXPECT_EQ(second.weights(), whole.weights());
}

TEST(Trainer, RefusesToGoOnWithAnotherModelOrOtherData) {
  const ScratchDirectory scratch;
  SmallRun().run(scratch.path());
  SmallRun wider("{}", R"({"decoder": {"width": 7}})");
  EXPECT_THAT(failure(Fault::usage, [&] { wider.run(scratch.path()); }),
              HasSubstr("model differs (decoder.width was 6, is 7)"));
  SmallRun other;
  other.options.data = parse_json(R"({"task": "backwards", "count": 81})", "test");
  EXPECT_THAT(failure(Fault::usage, [&] { other.run(scratch.path()); }),
              HasSubstr("data differs (settings.count was 80, is 81)"));
  SmallRun text;
  text.train = Corpus(test::backwards(1, 80), text.fields);
  EXPECT_THAT(failure(Fault::usage, [&] { text.run(scratch.path()); }), HasSubstr("train_hash"));
  SmallRun momentum(R"({"optimiser": {"kind": "sgd", "momentum": 0.5}})");
  EXPECT_THAT(failure(Fault::usage, [&] { momentum.run(scratch.path()); }),
              HasSubstr("optimiser.velocity"));
}

/// A checkpoint of an older heed lacks newer settings, which get their defaults.
TEST(Trainer, GoesOnFromACheckpointThatKnewFewerSettings) {
  const ScratchDirectory scratch;
  SmallRun whole;
  whole.run(scratch / "whole");
  SmallRun(R"({"steps": 8})").run(scratch / "old");
  const std::string path = scratch / "old/checkpoints/step-00000008.safetensors";
  SafetensorsFile file = read_safetensors(path);
  Json config = Json::object();
  const Json now = parse_json(file.metadata.at("config"), "test");
  for (const Json::Member& member : *now.get<Json::Object>()) {
    if (member.key != "front") {
      config.set(member.key, member.value);
    }
  }
  ASSERT_NE(config, now);
  file.metadata["config"] = config.write();
  write_safetensors(path, file);
  SmallRun later;
  later.run(scratch / "old");
  EXPECT_THAT(later.said, HasSubstr("resuming after step 8"));
  EXPECT_EQ(later.weights(), whole.weights());
}

/// Numbers that no run could have counted are refused, because finding the next batch would take for
/// ever.
TEST(Trainer, RefusesACheckpointThatCountedMoreThanItsStepsAllow) {
  const ScratchDirectory scratch;
  SmallRun(R"({"steps": 8})").run(scratch / "run");
  const std::string path = scratch / "run/checkpoints/step-00000008.safetensors";
  const SafetensorsFile whole = read_safetensors(path);
  constexpr int64_t largest = std::numeric_limits<int64_t>::max();
  const auto refused = [&](const std::string& name, int64_t absurd) {
    SafetensorsFile file = whole;
    Json state = parse_json(file.metadata.at("state"), "test");
    state.set(name, absurd);
    file.metadata["state"] = state.write();
    write_safetensors(path, file);
    return failure(Fault::file, [&] { SmallRun().run(scratch / "run"); });
  };
  for (const char* name :
       {"step", "tokens", "batches", "skipped", "skipped_in_a_row", "window_steps", "best_step",
        "without_gain", "validated", "falls", "since_fall", "updates", "averaged"}) {
    EXPECT_THAT(refused(name, largest), HasSubstr(name));
    EXPECT_THAT(refused(name, -1), HasSubstr(name));
  }
  EXPECT_THAT(refused("batches", 8 * most_accumulated + 1), HasSubstr("batches"));
  EXPECT_THAT(refused("skipped", 9), HasSubstr("skipped"));
}

TEST(Trainer, SaysWhichTrainingSettingsChanged) {
  const ScratchDirectory scratch;
  SmallRun().run(scratch.path());
  SmallRun longer(R"({"steps": 14, "optimiser": {"learning_rate": 0.01}})");
  EXPECT_EQ(longer.run(scratch.path()).state.step, 14);
  EXPECT_THAT(longer.said, HasSubstr("steps was 12, is 14"));
  EXPECT_THAT(longer.said, HasSubstr("optimiser.learning_rate was 0.02, is 0.01"));
}

}  // namespace
}  // namespace heed::trainer_resume_test
