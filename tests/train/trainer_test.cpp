#include "heed/train/trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "heed/base/atomic_file.h"
#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/json_reader.h"
#include "heed/train/loss.h"
#include "tests/base/scratch_directory.h"
#include "tests/train/full_disk.h"
#include "tests/train/small_run.h"

namespace heed {
namespace {

using test::FullDisk;
using test::SmallRun;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The message of the Error that `act` throws, which must be of this kind.
template <class Act>
std::string failure(Fault fault, Act&& act) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), fault) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

/// Asks to stop once `step` is done.
void stop_after(SmallRun& run, int64_t step) {
  auto reached = std::make_shared<int64_t>(0);
  run.options.on_step = [reached](const StepReport& report) { *reached = report.step; };
  run.options.interrupt = [reached, step] { return *reached >= step ? 143 : 0; };
}

/// Sets the first weight of the model, whatever it was, and returns what it was.
double poison(SmallRun& run, double value) {
  const Tensor& tensor = *distinct_parameters_of(*run.translator.model).front().tensor;
  const View first = dense_view(tensor.view().data, tensor.dtype(), {1});
  float before = 0;
  tensor.backend().download(&before, first);
  tensor.backend().fill(first, value);
  return before;
}

TEST(Trainer, Learns) {
  const ScratchDirectory scratch;
  SmallRun run(R"({"steps": 150, "validate_every": 50})", R"({"dropout": 0})");
  const double before = corpus_loss(*run.translator.model, run.train, 16);
  const TrainReport report = run.run(scratch.path());
  EXPECT_EQ(report.ending, Ending::finished);
  EXPECT_EQ(report.state.step, 150);
  EXPECT_LT(corpus_loss(*run.translator.model, run.train, 16), 0.6 * before);
  EXPECT_THAT(run.said, HasSubstr("all 150 steps are done"));
}

TEST(Trainer, TheLossIsTheMeanOverTokens) {
  SmallRun run;
  const Model& model = *run.translator.model;
  double total = 0;
  double tokens = 0;
  for (int64_t i = 0; i < run.valid.size(); ++i) {
    const std::vector<int64_t> one = {i};
    Pass pass = Pass::serving();
    const Batch batch = make_batch(run.valid.pairs(one), model.place());
    const auto count = static_cast<double>(batch.target_tokens());
    total += teacher_forcing_loss(model, batch, 0, pass).item() * count;
    tokens += count;
  }
  EXPECT_NEAR(corpus_loss(model, run.valid, 7), total / tokens, 1e-5);
}

TEST(Trainer, KeepsTheBestModelAndItsCheckpoints) {
  const ScratchDirectory scratch;
  SmallRun run;
  const TrainReport report = run.run(scratch.path());
  EXPECT_THAT(list_directory(scratch / "checkpoints"),
              ElementsAre("step-00000008.safetensors", "step-00000012.safetensors"));
  EXPECT_EQ(report.checkpoint, scratch / "checkpoints/step-00000012.safetensors");
  const Translator best = load_model(scratch / "model.safetensors", run.translator.model->place());
  EXPECT_EQ(best.about.at("step"), std::to_string(report.state.best_step));
  EXPECT_NEAR(corpus_loss(*best.model, run.valid, 8), *report.state.best, 1e-9);
  const Translator last = load_model(*report.checkpoint, run.translator.model->place());
  EXPECT_EQ(distinct_parameters_of(*last.model).front().tensor->values(),
            distinct_parameters_of(*run.translator.model).front().tensor->values());
}

TEST(Trainer, WithoutValidationTheModelIsTheLast) {
  const ScratchDirectory scratch;
  SmallRun run(R"({"validate_every": 0})");
  run.run(scratch.path());
  const Translator last = load_model(scratch / "model.safetensors", run.translator.model->place());
  EXPECT_EQ(last.about.at("step"), "12");
  EXPECT_EQ(distinct_parameters_of(*last.model).back().tensor->values(),
            distinct_parameters_of(*run.translator.model).back().tensor->values());
}

/// metrics.jsonl without what depends on the clock.
std::string metrics_of(const std::string& folder) {
  std::string all;
  std::string text = read_file(folder + "/metrics.jsonl");
  while (!text.empty()) {
    const std::string line = text.substr(0, text.find('\n'));
    text.erase(0, line.size() + 1);
    Json json = parse_json(line, "metrics");
    all += json.set("tokens_per_second", 0).write() + "\n";
  }
  return all;
}

TEST(Trainer, AnInterruptedRunGoesOnExactly) {
  const ScratchDirectory scratch;
  SmallRun whole;
  const TrainReport expected = whole.run(scratch / "whole");
  for (const int64_t step : {1, 5, 6, 8, 11}) {
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
    write_atomically(log, read_file(log) + "{\"step\":12,\"loss\":9}\n{\"step\":1");

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
  EXPECT_THAT(second.said, HasSubstr("passing over a checkpoint that is not whole: " + newest));
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
  text.train = Corpus(test::backwards(1, 80), text.vocabularies);
  EXPECT_THAT(failure(Fault::usage, [&] { text.run(scratch.path()); }), HasSubstr("train_hash"));
  SmallRun momentum(R"({"optimiser": {"kind": "sgd", "momentum": 0.5}})");
  EXPECT_THAT(failure(Fault::usage, [&] { momentum.run(scratch.path()); }),
              HasSubstr("optimiser.velocity"));
}

TEST(Trainer, SaysWhichTrainingSettingsChanged) {
  const ScratchDirectory scratch;
  SmallRun().run(scratch.path());
  SmallRun longer(R"({"steps": 14, "optimiser": {"learning_rate": 0.01}})");
  EXPECT_EQ(longer.run(scratch.path()).state.step, 14);
  EXPECT_THAT(longer.said, HasSubstr("steps was 12, is 14"));
  EXPECT_THAT(longer.said, HasSubstr("optimiser.learning_rate was 0.02, is 0.01"));
}

TEST(Trainer, StopsEarlyAndSaysWhy) {
  const ScratchDirectory scratch;
  const std::string settings =
      R"({"steps": 100, "validate_every": 2, "patience": 3, "optimiser": {"learning_rate": 0}})";
  SmallRun run(settings);
  const TrainReport report = run.run(scratch.path());
  EXPECT_EQ(report.ending, Ending::stopped_early);
  EXPECT_EQ(report.state.step, 8);  // the first is the best, three more gain nothing
  EXPECT_EQ(report.state.best_step, 2);
  EXPECT_THAT(report.why, HasSubstr("loss has not gained for 3 validations"));
  SmallRun again(settings);
  EXPECT_EQ(again.run(scratch.path()).ending, Ending::stopped_early);
  EXPECT_THAT(failure(Fault::usage,
                      [&] {
                        SmallRun blind(R"({"validate_every": 0, "patience": 3})");
                        blind.run(scratch / "blind");
                      }),
              HasSubstr("patience"));
}

TEST(Trainer, IsJudgedByAMetric) {
  const ScratchDirectory scratch;
  SmallRun run(R"({"metric": "exact_match", "validate_sentences": 10, "validate_every": 3})");
  int calls = 0;
  run.options.translate = [&](std::span<const std::string> sources) {
    EXPECT_EQ(sources.size(), 10U);
    std::vector<std::string> outputs(sources.begin(), sources.end());
    ++calls;
    for (int i = 0; i < (calls < 4 ? calls : 1); ++i) {
      outputs[static_cast<size_t>(i)] = run.valid.text(i).target;
    }
    return outputs;
  };
  const TrainReport report = run.run(scratch.path());
  EXPECT_EQ(calls, 4);
  EXPECT_EQ(report.state.best_step, 9);
  EXPECT_GE(*report.state.best, 30);
  EXPECT_THAT(read_file(scratch / "metrics.jsonl"), HasSubstr("\"metric\":\"exact_match\""));
  SmallRun without(R"({"metric": "exact_match"})");
  EXPECT_THROW(without.run(scratch / "other"), Error);
  run.training.metric = "aer";
  EXPECT_THAT(failure(Fault::usage, [&] { run.run(scratch / "links"); }),
              HasSubstr("saw the metric aer, which compares alignments"));
}

TEST(Trainer, SkipsAStepThatIsNotFinite) {
  const ScratchDirectory scratch;
  SmallRun run;
  double before = 0;
  run.options.on_step = [&](const StepReport& report) {
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
  run.options.on_step = [&](const StepReport& report) {
    if (report.step == 21) {
      poison(run, std::numeric_limits<double>::quiet_NaN());
    }
  };
  const std::string said = failure(Fault::diverged, [&] { run.run(scratch.path()); });
  EXPECT_THAT(said, HasSubstr("at step 26, the 5th step in a row"));
  EXPECT_THAT(said, HasSubstr("step-00000020.safetensors"));
  EXPECT_THAT(list_directory(scratch / "checkpoints"), ElementsAre("step-00000020.safetensors"));
  SmallRun again(R"({"steps": 40, "save_every": 20, "validate_every": 0})");
  EXPECT_EQ(again.run(scratch.path()).ending, Ending::finished);
}

TEST(Trainer, NeverSavesWhatIsNotFinite) {
  const ScratchDirectory scratch;
  SmallRun run(R"({"validate_every": 0})");
  run.options.on_step = [&](const StepReport& report) {
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

/// Every training setting must change something that can be seen.
TEST(Trainer, EverySettingChangesSomething) {
  const ScratchDirectory scratch;
  const auto outcome = [&scratch](const std::string& name, const std::string& changes) {
    const std::string folder = scratch / name;
    SmallRun run(R"({"patience": 2, "save_every": 12, "validate_every": 12})");
    apply(run.training, parse_json(changes, "test"));
    run.options.translate = [&run](std::span<const std::string> sources) {
      std::vector<std::string> outputs;
      for (size_t i = 0; i < sources.size(); ++i) {
        outputs.push_back(i < 10 ? run.valid.text(static_cast<int64_t>(i)).target : "x xyx x x");
      }
      return outputs;
    };
    std::string seen = run.run(folder).why;
    for (const float weight : run.weights()) {
      seen += fmt::format(" {}", weight);
    }
    for (const std::string& file : list_directory(folder + "/checkpoints")) {
      seen += " " + file;
    }
    return seen + metrics_of(folder);
  };
  const std::string plain = outcome("plain", "{}");
  EXPECT_EQ(outcome("again", "{}"), plain);
  const std::vector<std::pair<std::string, std::string>> turned = {
      {"steps", "13"},
      {"batch_sentences", "9"},
      {"batch_tokens", "16"},
      {"pool", "1"},
      {"seed", "6"},
      {"label_smoothing", "0.1"},
      {"clip", "0.01"},
      {"log_every", "2"},
      {"validate_every", "5"},
      {"metric", "\"exact_match\""},
      {"save_every", "5"},
      {"optimiser", "\"sgd\""},
      {"schedule", R"({"kind": "cosine"})"},
  };
  for (const auto& [name, value] : turned) {
    EXPECT_NE(outcome(name, "{\"" + name + "\": " + value + "}"), plain) << name;
  }
  EXPECT_NE(outcome("g", R"({"save_every": 3})"), outcome("h", R"({"save_every": 3, "keep": 3})"));
  EXPECT_NE(outcome("a", R"({"metric": "exact_match", "validate_sentences": 5})"),
            outcome("b", R"({"metric": "exact_match"})"));
  EXPECT_NE(outcome("i", R"({"metric": "bleu"})"),
            outcome("j", R"({"metric": "bleu", "metric_tokens": "char"})"));
  EXPECT_NE(outcome("c", R"({"min_gain": 50, "validate_every": 2})"),
            outcome("d", R"({"min_gain": 50, "validate_every": 2, "patience": 3})"));
  EXPECT_NE(outcome("e", R"({"min_gain": 0, "validate_every": 2})"),
            outcome("f", R"({"min_gain": 50, "validate_every": 2})"));
}

}  // namespace
}  // namespace heed
