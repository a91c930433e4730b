#include "heed/train/step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "heed/data/prefetch.h"
#include "heed/train/loss.h"
#include "tests/support/recording_backend.h"
#include "tests/train/small_run.h"

namespace heed::step_test {
namespace {

using test::SmallRun;
using ::testing::HasSubstr;

/// The state that a step which is not finite must not change, apart from the weights.
std::vector<double> memories_of(const SmallRun& run) {
  std::vector<double> all = {static_cast<double>(run.training.optimiser->updates()),
                             static_cast<double>(run.training.average->taken())};
  for (const auto& remembered : {run.training.optimiser->state(), run.training.average->state()}) {
    for (const NamedParameter& one : remembered) {
      const auto some = one.tensor->values();
      all.insert(all.end(), some.begin(), some.end());
    }
  }
  return all;
}

TEST(Step, ALossThatIsNotFiniteLeavesEverythingAsItWas) {
  SmallRun run(R"({"average": "ema"})");
  Stepper stepper(run.training, *run.trained.model, run.train);
  EXPECT_TRUE(stepper.take({}).is_finite());
  const double before = test::poison(run, std::nan(""));
  const std::vector<double> memories = memories_of(run);
  const StepOutcome outcome = stepper.take({1, 1, 0});
  EXPECT_FALSE(outcome.is_finite());
  EXPECT_THAT(outcome.trouble(), HasSubstr("a loss that is not a number"));
  test::poison(run, before);
  EXPECT_EQ(memories_of(run), memories);

  SmallRun other(R"({"average": "ema"})");
  Stepper same(other.training, *other.trained.model, other.train);
  same.take({});
  EXPECT_EQ(run.weights(), other.weights());
  EXPECT_TRUE(stepper.take({2, 2, 0}).is_finite());
  EXPECT_NE(run.weights(), other.weights());
}

TEST(Step, ItsLossIsThatOfItsBatches) {
  SmallRun run(R"({"accumulate": 3, "batch_sentences": 5, "label_smoothing": 0.2})",
               R"({"dropout": 0})");
  const Model& model = *run.trained.model;
  PrefetchedBatches batches(run.train, run.training.batch_options(), model.place());
  double total = 0;
  int64_t tokens = 0;
  for (int64_t k = 6; k < 9; ++k) {
    const Batch batch = batches.at(k).batch.uploaded();
    Pass pass = Pass::serving();
    total += teacher_forcing_loss(model, batch, 0.2, pass).item() *
             static_cast<double>(batch.target_tokens());
    tokens += batch.target_tokens();
  }
  Stepper stepper(run.training, *run.trained.model, run.train);
  const StepOutcome outcome = stepper.take({2, 6, 0});
  EXPECT_EQ(outcome.tokens, tokens);
  EXPECT_NEAR(outcome.loss, total / static_cast<double>(tokens), 1e-6);
}

/// Whatever is accumulated, and with several objectives, which are read too.
TEST(Step, ReadsFromItsBackendOnce) {
  for (const char* settings : {"{}", R"({"accumulate": 3, "average": "ema",
                  "objectives": ["teacher_forcing", "doubly_stochastic"]})"}) {
    test::RecordingBackend backend(test::forced("cpu"));
    SmallRun run(settings, "{}", {&backend, DType::f32});
    Stepper stepper(run.training, *run.trained.model, run.train);
    for (int64_t step = 0; step < 3; ++step) {
      backend.take();
      EXPECT_TRUE(stepper.take({step, 3 * step, 0}).is_finite());
      EXPECT_EQ(backend.take().downloads, 1) << settings;
    }
  }
}

/// In bf16 every weight that is multiplied is rounded once a step, whatever is accumulated: that form
/// serves all products of the step, forward and backward, and goes with the update.
TEST(Step, MakesOneLowFormOfEachWeight) {
  test::RecordingBackend backend(test::forced("reference"));
  SmallRun run(R"({"accumulate": 2, "batch_sentences": 8})",
               R"({"embedding": 6, "encoder": {"kind": "transformer", "width": 12, "depth": 1},
                   "decoder": {"kind": "transformer", "width": 12, "depth": 1}})",
               {&backend, DType::bf16});
  std::map<std::string, int64_t> expected;  // by shape
  for (const Weight& weight : distinct_weights_of(*run.trained.model)) {
    const bool is_looked_up = weight.size(1) == 6 && weight.size(0) != 12;
    expected[to_string(weight.shape())] += is_looked_up ? 0 : 1;
  }
  Stepper stepper(run.training, *run.trained.model, run.train);
  for (int64_t step = 0; step < 2; ++step) {
    backend.take();
    ASSERT_TRUE(stepper.take({step, 2 * step, 0}).is_finite());
    std::map<std::string, int64_t> made;
    for (const std::string& call : backend.take().calls) {
      for (const auto& [shape, count] : expected) {
        const bool is_form = call.starts_with("copy") && call.find(" bf16" + shape + " ") < 10 &&
                             call.ends_with(" f32" + shape);
        made[shape] += is_form ? 1 : 0;
      }
    }
    EXPECT_EQ(made, expected) << "step " << step;
  }
}

/// Examples of one length, so that steps differ in nothing but their numbers.
std::vector<Example> letters_of_one_length() {
  std::vector<Example> all;
  for (int i = 0; i < 40; ++i) {
    const std::string a(1, static_cast<char>('a' + i % 10));
    const std::string b(1, static_cast<char>('a' + i / 4 % 10));
    all.push_back({a + " " + b + " " + a, b + " " + a});
  }
  return all;
}

/// Two steps that could be one recorded graph: what changes between them lies in memory.
TEST(Step, MakesTheSameCallsEveryTime) {
  const char* const transformer =
      R"({"embedding": 8, "dropout": 0.1, "encoder": {"kind": "transformer", "width": 8},
          "decoder": {"kind": "transformer", "width": 8, "dropout": 0.1}})";
  const char* const recurrent =
      R"({"encoder": {"kind": "gru", "width": 6}, "decoder": {"attention": {"dropout": 0.2}}})";
  for (const char* model : {transformer, recurrent}) {
    for (const char* optimiser : {"adam", "adamw", "sgd", "adafactor"}) {
      test::RecordingBackend backend(test::forced("cpu"));
      SmallRun run(fmt::format(R"({{"average": "ema", "clip": 0.01, "label_smoothing": 0.1,
          "schedule": {{"kind": "noam", "warm_up": 3}}, "optimiser": "{}"}})",
                               optimiser),
                   model, {&backend, DType::f32});
      const Corpus train(letters_of_one_length(), run.fields);
      Stepper stepper(run.training, *run.trained.model, train);
      std::vector<test::Recording> steps;
      for (int64_t step = 0; step < 5; ++step) {
        backend.take();
        ASSERT_TRUE(stepper.take({step, step, 0}).is_finite());
        steps.push_back(backend.take());
      }
      for (size_t t = 2; t < steps.size(); ++t) {
        EXPECT_EQ(test::first_difference(steps[1], steps[t]), "") << optimiser << " at step " << t;
        EXPECT_EQ(steps[t].downloads, 1);
      }
    }
  }
}

/// The next step's batches are on their backend before the host waits for this step's numbers.
TEST(Step, UploadsTheNextBatchBeforeItReads) {
  test::RecordingBackend backend(test::forced("cpu"));
  SmallRun run(R"({"steps": 3})", "{}", {&backend, DType::f32});
  Stepper stepper(run.training, *run.trained.model, run.train);
  std::vector<int64_t> uploads;
  for (int64_t step = 0; step < 3; ++step) {
    backend.take();
    ASSERT_TRUE(stepper.take({step, step, 0}).is_finite());
    const test::Recording made = backend.take();
    uploads.push_back(made.uploads);
    const auto read = std::find_if(made.calls.begin(), made.calls.end(),
                                   [](const auto& call) { return call.starts_with("download"); });
    // What is uploaded later are the three numbers of the update, not rows of a batch.
    EXPECT_TRUE(std::none_of(read, made.calls.end(), [](const auto& call) {
      return call.starts_with("upload") && call.find("i32") != std::string::npos;
    }));
  }
  EXPECT_GT(uploads[0], uploads[1]) << "its own and those of the next step";
  EXPECT_GT(uploads[1], uploads[2]) << "no step follows";
  EXPECT_EQ(uploads[0] - uploads[1], uploads[1] - uploads[2]);
}

/// A step out of turn does not get the batch that was ready for another.
TEST(Step, TakesItsOwnBatchAlsoOutOfTurn) {
  const SmallRun expected;
  SmallRun run;
  Stepper stepper(run.training, *run.trained.model, run.train);
  stepper.take({0, 0, 0});
  PrefetchedBatches batches(expected.train, expected.training.batch_options(),
                            expected.trained.model->place());
  for (const int64_t number : {7, 2, 3}) {
    const Batch own = batches.at(number).batch.uploaded();
    Pass pass = Pass::training(static_cast<uint64_t>(run.training.seed), number + 1);
    const double loss = teacher_forcing_loss(*run.trained.model, own, 0, pass).item();
    EXPECT_EQ(stepper.take({1, number, 0}).loss, loss) << number;
  }
}

TEST(Step, NamesWhatIsNotFinite) {
  StepOutcome outcome;
  EXPECT_TRUE(outcome.is_finite());
  outcome.norm.first_bad = "decoder.words";
  EXPECT_FALSE(outcome.is_finite());
  EXPECT_THAT(outcome.trouble(), HasSubstr("a gradient that is not finite in decoder.words"));
  outcome.loss = INFINITY;
  EXPECT_EQ(outcome.trouble(), "a loss of inf");
  outcome.loss = -NAN;
  EXPECT_EQ(outcome.trouble(), "a loss that is not a number");
}

}  // namespace
}  // namespace heed::step_test
