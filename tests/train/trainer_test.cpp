#include "heed/train/trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/train/loss.h"
#include "tests/base/scratch_directory.h"
#include "tests/train/small_run.h"

namespace heed::trainer_test {
namespace {

using test::failure;
using test::metrics_of;
using test::SmallRun;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Trainer, Learns) {
  const ScratchDirectory scratch;
  SmallRun run(R"({"steps": 150, "validate_every": 50})", R"({"dropout": 0})");
  const double before = corpus_loss(*run.trained.model, run.train, 16);
  const TrainReport report = run.run(scratch.path());
  EXPECT_EQ(report.ending, Ending::finished);
  EXPECT_EQ(report.state.step, 150);
  EXPECT_LT(corpus_loss(*run.trained.model, run.train, 16), 0.6 * before);
  EXPECT_THAT(run.said, HasSubstr("all 150 steps are done"));
}

TEST(Trainer, TheLossIsTheMeanOverTokens) {
  SmallRun run;
  const Model& model = *run.trained.model;
  double total = 0;
  double tokens = 0;
  for (int64_t i = 0; i < run.valid.size(); ++i) {
    const std::vector<int64_t> one = {i};
    Pass pass = Pass::serving();
    const Batch batch = make_batch(run.valid.items(one), model.place());
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
  const TrainedModel best = load_model(scratch / "model.safetensors", run.trained.model->place());
  EXPECT_EQ(best.about.at("step"), std::to_string(report.state.gains.best_step));
  EXPECT_NEAR(corpus_loss(*best.model, run.valid, 8), *report.state.gains.best, 1e-9);
  const TrainedModel last = load_model(*report.checkpoint, run.trained.model->place());
  EXPECT_EQ(distinct_parameters_of(*last.model).front().tensor->values(),
            distinct_parameters_of(*run.trained.model).front().tensor->values());
}

TEST(Trainer, WithoutValidationTheModelIsTheLast) {
  const ScratchDirectory scratch;
  SmallRun run(R"({"validate_every": 0})");
  run.run(scratch.path());
  const TrainedModel last = load_model(scratch / "model.safetensors", run.trained.model->place());
  EXPECT_EQ(last.about.at("step"), "12");
  EXPECT_EQ(distinct_parameters_of(*last.model).back().tensor->values(),
            distinct_parameters_of(*run.trained.model).back().tensor->values());
}

TEST(Trainer, SeveralBatchesMakeOneUpdate) {
  const ScratchDirectory scratch;
  // 80 sentences: one batch of all of them, or ten of eight, are the same gradient.
  const std::string once = R"({"steps": 3, "batch_sentences": 80, "validate_every": 0, "clip": 0.1,
      "optimiser": {"kind": "sgd", "learning_rate": 0.5}})";
  SmallRun one(once, R"({"dropout": 0})");
  const TrainReport whole = one.run(scratch / "one");
  SmallRun ten(once, R"({"dropout": 0})");
  apply(ten.training, parse_json(R"({"batch_sentences": 8, "accumulate": 10})", "test"));
  const TrainReport parts = ten.run(scratch / "ten");
  EXPECT_EQ(parts.state.tokens, whole.state.tokens);
  EXPECT_EQ(parts.state.batches, 30);
  const std::vector<float> a = one.weights();
  const std::vector<float> b = ten.weights();
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_NEAR(a[i], b[i], 2e-6);
  }
}

TEST(Trainer, HandsOutTheAverageAndIsJudgedByIt) {
  for (const char* average :
       {R"({"kind": "ema", "decay": 0.7})", R"({"kind": "last", "every": 3})"}) {
    SCOPED_TRACE(average);
    const ScratchDirectory scratch;
    SmallRun run(fmt::format(R"({{"average": {}, "validate_every": 12}})", average));
    const TrainReport report = run.run(scratch.path());
    const Place place = run.trained.model->place();
    const TrainedModel model = load_model(scratch / "model.safetensors", place);
    EXPECT_NEAR(corpus_loss(*model.model, run.valid, 8), *report.state.gains.best, 1e-9);
    EXPECT_NE(corpus_loss(*run.trained.model, run.valid, 8), *report.state.gains.best);
    const std::vector<Tensor> means = run.training.average->means();
    const auto saved = distinct_parameters_of(*model.model);
    ASSERT_EQ(means.size(), saved.size());
    for (size_t i = 0; i < means.size(); ++i) {
      EXPECT_EQ(saved[i].tensor->values(), means[i].values()) << saved[i].name;
    }
    const TrainedModel last = load_model(*report.checkpoint, place);  // which goes on as it was
    EXPECT_EQ(distinct_parameters_of(*last.model).front().tensor->values(),
              distinct_parameters_of(*run.trained.model).front().tensor->values());
  }
}

TEST(Trainer, ThePlateauLowersTheRate) {
  const ScratchDirectory scratch;
  SmallRun run(R"({"schedule": {"kind": "plateau", "patience": 2, "fall": 0.1}, "min_gain": 100,
                   "validate_every": 2, "log_every": 2})");
  std::vector<double> rates;
  run.options.hooks.on_step = [&](const StepReport& report) {
    rates.push_back(report.learning_rate);
  };
  const TrainReport report = run.run(scratch.path());
  // The validation after step 2 is the first and so the best; those after 4 and 6, 8 and 10 gain
  // nothing.
  EXPECT_EQ(report.state.gains.falls, 2);
  ASSERT_EQ(rates.size(), 12U);
  for (size_t i = 0; i < rates.size(); ++i) {
    EXPECT_NEAR(rates[i], i < 6 ? 0.02 : i < 10 ? 0.002 : 0.0002, 1e-12) << i;
  }
  EXPECT_THAT(run.said, HasSubstr("the learning rate falls to 0.002"));
  EXPECT_THAT(failure(Fault::usage,
                      [&] {
                        SmallRun blind(R"({"validate_every": 0, "schedule": "plateau"})");
                        blind.run(scratch / "blind");
                      }),
              HasSubstr("the schedule plateau goes by validations, and there are none; give "
                        "validation data and validate_every, or choose another schedule"));
}

TEST(Trainer, StopsEarlyAndSaysWhy) {
  const ScratchDirectory scratch;
  const std::string settings =
      R"({"steps": 100, "validate_every": 2, "patience": 3, "optimiser": {"learning_rate": 0}})";
  SmallRun run(settings);
  const TrainReport report = run.run(scratch.path());
  EXPECT_EQ(report.ending, Ending::stopped_early);
  EXPECT_EQ(report.state.step, 8);  // the first is the best, three more gain nothing
  EXPECT_EQ(report.state.gains.best_step, 2);
  EXPECT_THAT(report.why,
              ::testing::MatchesRegex("stopping early after step 8: loss has not gained "
                                      "for 3 validations .the best was .* at step 2."));
  SmallRun again(settings);
  EXPECT_EQ(again.run(scratch.path()).ending, Ending::stopped_early);
  EXPECT_THAT(failure(Fault::usage,
                      [&] {
                        SmallRun blind(R"({"validate_every": 0, "patience": 3})");
                        blind.run(scratch / "blind");
                      }),
              HasSubstr("patience"));
}

TEST(Trainer, AnyReferenceCounts) {
  const ScratchDirectory scratch;
  SmallRun run(R"({"metric": "exact_match", "validate_sentences": 0, "steps": 6})");
  run.valid =
      Corpus(std::vector<Row>{{"a b", {"b a", "a a"}}, {"b c", {"c b"}}, {"a c", {"c a", "c c"}}},
             run.fields);
  EXPECT_EQ(run.valid.size(), 5);
  run.options.translate = [&](std::span<const std::string> sources) {
    EXPECT_EQ(std::vector<std::string>(sources.begin(), sources.end()),
              (std::vector<std::string>{"a b", "b c", "a c"}));
    return std::vector<std::string>{"a a", "b b", "c a"};
  };
  EXPECT_NEAR(*run.run(scratch.path()).state.gains.best, 200.0 / 3, 1e-9);
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
  EXPECT_EQ(report.state.gains.best_step, 9);
  EXPECT_GE(*report.state.gains.best, 30);
  EXPECT_THAT(read_file(scratch / "metrics.jsonl"), HasSubstr("\"metric\":\"exact_match\""));
  SmallRun without(R"({"metric": "exact_match"})");
  EXPECT_THROW(without.run(scratch / "other"), Error);
  run.training.metric = "aer";
  EXPECT_THAT(failure(Fault::usage, [&] { run.run(scratch / "links"); }),
              HasSubstr("the metric aer compares alignments"));
}

TEST(Trainer, ShowsSamplesOfEveryValidation) {
  const ScratchDirectory scratch;
  SmallRun run(R"({"samples": 2})");
  std::string second;
  run.options.show = [&](std::span<const std::string> sources) {
    EXPECT_EQ(sources.size(), 2U);
    EXPECT_NE(sources.front(), sources.back());
    second = sources.back();
    return std::vector<Sample>{{"first", "<svg/>", ""}, {"second", "", ""}};
  };
  run.run(scratch.path());
  EXPECT_THAT(list_directory(scratch / "samples"),
              ElementsAre("step-00000006.1.svg", "step-00000006.txt", "step-00000012.1.svg",
                          "step-00000012.txt"));
  EXPECT_THAT(read_file(scratch / "samples/step-00000012.txt"),
              AllOf(HasSubstr("source     " + second + "\nreference  "),
                    HasSubstr("\noutput     second\n")));
  int events = 0;
  for (const std::string& name : list_directory(scratch.path())) {
    events += name.starts_with("events.out.tfevents.") ? 1 : 0;
  }
  EXPECT_EQ(events, 1);
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
      {"accumulate", "2"},
      {"seed", "6"},
      {"label_smoothing", "0.1"},
      {"clip", "0.01"},
      {"feed", R"({"kind": "random_words", "rate": 0.5})"},
      {"objectives", R"(["teacher_forcing", "doubly_stochastic"])"},
      {"log_every", "2"},
      {"validate_every", "5"},
      {"metric", "\"exact_match\""},
      {"save_every", "5"},
      {"optimiser", "\"sgd\""},
      {"schedule", R"({"kind": "cosine"})"},
      {"average", R"({"kind": "ema"})"},
  };
  for (const auto& [name, value] : turned) {
    EXPECT_NE(outcome(name, "{\"" + name + "\": " + value + "}"), plain) << name;
  }
  EXPECT_NE(outcome("g", R"({"save_every": 3})"), outcome("h", R"({"save_every": 3, "keep": 3})"));
  EXPECT_NE(outcome("a", R"({"metric": "exact_match", "validate_sentences": 5})"),
            outcome("b", R"({"metric": "exact_match"})"));
  EXPECT_NE(outcome("i", R"({"metric": "bleu"})"),
            outcome("j", R"({"metric": "bleu", "scoring": {"tokenize": "char"}})"));
  EXPECT_NE(outcome("c", R"({"min_gain": 50, "validate_every": 2})"),
            outcome("d", R"({"min_gain": 50, "validate_every": 2, "patience": 3})"));
  EXPECT_NE(outcome("e", R"({"min_gain": 0, "validate_every": 2})"),
            outcome("f", R"({"min_gain": 50, "validate_every": 2})"));
}

}  // namespace
}  // namespace heed::trainer_test
