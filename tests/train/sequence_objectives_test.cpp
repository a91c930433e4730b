// self_critical and minimum_risk: whole outputs are judged by a metric. Their gradients are worked
// out by hand for the bias of the output layer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/train/objective/sequence_reward.h"
#include "tests/base/scratch_directory.h"
#include "tests/train/judged_outputs.h"

namespace heed::test::sequence_objectives_test {
namespace {

using namespace judged;  // NOLINT(google-build-using-namespace)
using ::testing::HasSubstr;

TEST(SelfCritical, ItsGradientIsTheOneWorkedOutByHand) {
  for (const auto& [baseline, temperature] :
       {std::pair("greedy", 1.0), std::pair("others", 1.0), std::pair("others", 0.5)}) {
    SCOPED_TRACE(fmt::format("{}, temperature {}", baseline, temperature));
    constexpr int64_t samples = 5;
    const auto ready = begun();
    SmallRun& run = *ready;
    const auto objective = made(
        run, "self_critical",
        fmt::format(
            R"({{"metric": "token_accuracy", "samples": 5, "baseline": "{}", "temperature": {}}})",
            baseline, temperature));
    const Batch batch = run.batch(sentences);
    const Tensor loss = loss_of(run, *objective, batch);
    loss.backward();
    const std::vector<TaughtOutput> outputs = found(run, sampling(samples, temperature));
    const std::vector<TaughtOutput> greedy = found(run, {});
    ASSERT_EQ(outputs.size(), static_cast<size_t>(samples * sentences));
    std::vector<double> expected;
    double expected_loss = 0;
    double rewards = 0;
    double largest = 0;
    for (size_t c = 0; c < outputs.size(); ++c) {
      const auto b = static_cast<size_t>(outputs[c].sentence);
      const auto reward = [&](const TaughtOutput& one) {
        return share_right(one.ids, right_ids(run, one.sentence));
      };
      double compared = reward(greedy[b]);
      if (std::string_view(baseline) == "others") {
        compared = -reward(outputs[c]);
        for (size_t k = 0; k < samples; ++k) {
          compared += reward(outputs[samples * b + k]);
        }
        compared /= samples - 1;
      }
      const ByHand one(run, outputs[c], temperature);
      const double factor =
          -(reward(outputs[c]) - compared) / (samples * static_cast<double>(batch.target_tokens()));
      expected.resize(one.slope.size());
      for (size_t v = 0; v < expected.size(); ++v) {
        expected[v] += factor * one.slope[v];
      }
      expected_loss += factor * one.log_probability;
      rewards += reward(outputs[c]) / static_cast<double>(outputs.size());
    }
    EXPECT_NEAR(loss.item(), expected_loss, 1e-12);
    EXPECT_NEAR(objective->measures()[0].item(), rewards, 1e-12);
    const std::vector<double> gradient = bias_gradient(run);
    ASSERT_EQ(gradient.size(), expected.size());
    for (size_t v = 0; v < expected.size(); ++v) {
      EXPECT_NEAR(gradient[v], expected[v], 1e-12) << v;
      largest = std::max(largest, std::abs(expected[v]));
    }
    EXPECT_GT(largest, 1e-3);
  }
}

/// Candidates without repetitions and with the right output; Q and its derivative by hand.
TEST(MinimumRisk, ItsGradientIsTheOneWorkedOutByHand) {
  for (const char* from : {"samples", "beam"}) {
    SCOPED_TRACE(from);
    constexpr int64_t samples = 6;
    constexpr double alpha = 0.7;
    const auto ready = begun();
    SmallRun& run = *ready;
    const auto objective = made(
        run, "minimum_risk",
        fmt::format(R"({{"metric": "token_accuracy", "samples": 6, "alpha": 0.7, "from": "{}"}})",
                    from));
    const Batch batch = run.batch(sentences);
    const Tensor loss = loss_of(run, *objective, batch);
    loss.backward();
    SearchOptions beam;
    beam.beam = samples;
    beam.n_best = samples;
    const std::vector<TaughtOutput> outputs =
        found(run, std::string_view(from) == "beam" ? beam : sampling(samples));
    std::vector<double> expected;
    double expected_loss = 0;
    for (int32_t b = 0; b < sentences; ++b) {
      std::vector<TaughtOutput> different = {{b, right_ids(run, b), true}};
      for (const TaughtOutput& one : outputs) {
        if (one.sentence == b &&
            std::find(different.begin(), different.end(), one) == different.end()) {
          different.push_back(one);
        }
      }
      std::vector<ByHand> said;
      std::vector<double> q;
      double total = 0;
      for (const TaughtOutput& one : different) {
        said.emplace_back(run, one);
        q.push_back(std::exp(alpha * said.back().log_probability));
        total += q.back();
      }
      double risk = 0;
      const auto cost = [&](size_t k) {
        return 1 - share_right(different[k].ids, right_ids(run, b));
      };
      for (size_t k = 0; k < q.size(); ++k) {
        q[k] /= total;
        risk += q[k] * cost(k);
      }
      const auto tokens = static_cast<double>(batch.target_tokens());
      expected_loss += risk / tokens;
      expected.resize(said.front().slope.size());
      for (size_t k = 0; k < q.size(); ++k) {
        for (size_t v = 0; v < expected.size(); ++v) {
          expected[v] += alpha * q[k] * (cost(k) - risk) * said[k].slope[v] / tokens;
        }
      }
    }
    EXPECT_NEAR(loss.item(), expected_loss, 1e-12);
    const std::vector<double> gradient = bias_gradient(run);
    double largest = 0;
    ASSERT_EQ(gradient.size(), expected.size());
    for (size_t v = 0; v < expected.size(); ++v) {
      EXPECT_NEAR(gradient[v], expected[v], 1e-12) << v;
      largest = std::max(largest, std::abs(expected[v]));
    }
    EXPECT_GT(largest, 1e-3);
  }
}

/// Of every kind of decoder: the outputs of a search are as likely as the search says.
TEST(Outputs, HaveTheProbabilitiesOfTheirSearch) {
  for (const char* decoder : {R"("fixed")", R"("attend_first")", R"("attend_after")",
                              R"({"kind": "transformer", "width": 8})"}) {
    SCOPED_TRACE(decoder);
    SmallRun run("{}", fmt::format(R"({{"decoder": {}}})", decoder), exact);
    const Model& model = *run.trained.model;
    const std::vector<TaughtOutput> outputs = found(run, sampling(3));
    const NoGrad no_gradients;
    Pass pass = Pass::serving();
    const Encoded encoded = model.encode(run.batch(sentences).source, pass);
    const std::vector<double> log_p =
        log_probabilities(model.autoregressive(), encoded, outputs, 1, pass).values();
    for (size_t c = 0; c < outputs.size(); ++c) {
      EXPECT_NEAR(log_p[c], ByHand(run, outputs[c]).log_probability, 1e-9) << c;
    }
  }
}

/// The mean reward of the first and of the last lines of metrics.jsonl.
TEST(SequenceObjectives, RaiseTheRewardThatTheirLinesShow) {
  for (
      const char* objective :
      {R"({"kind": "self_critical", "metric": "token_accuracy", "samples": 8})",
       R"({"kind": "minimum_risk", "metric": "per", "samples": 8, "alpha": 0.5, "reference": false})"}) {
    SCOPED_TRACE(objective);
    const ScratchDirectory scratch;
    SmallRun run(
        fmt::format(R"({{"steps": 160, "log_every": 40, "validate_every": 0, "objectives": {}}})",
                    objective),
        R"({"dropout": 0})");
    run.run(scratch.path());
    std::vector<double> rewards;
    const std::string lines = read_file(scratch / "metrics.jsonl");
    const std::string name = R"("reward":)";
    for (size_t at = lines.find(name); at != std::string::npos; at = lines.find(name, at + 1)) {
      rewards.push_back(std::stod(lines.substr(at + name.size())));
    }
    ASSERT_EQ(rewards.size(), 4U) << lines;
    EXPECT_GT(rewards[3], rewards[0] + 0.05);
  }
}

/// The loss of an objective on a model that has learnt a little, and the mean reward of what it found.
std::pair<double, double> loss_and_reward(SmallRun& run, const std::string& kind, bool dropout) {
  const auto objective =
      made(run, kind, fmt::format(R"({{"metric": "token_accuracy", "dropout": {}}})", dropout));
  const double loss = loss_of(run, *objective, run.batch(sentences)).item();
  return {loss, objective->measures()[0].item()};
}

TEST(SequenceObjectives, TeachWithDropoutWhatTheyFindWithoutIt) {
  for (const char* kind : {"self_critical", "minimum_risk"}) {
    SCOPED_TRACE(kind);
    const auto run = begun();
    const auto [loss, reward] = loss_and_reward(*run, kind, false);
    const auto [dropped_loss, dropped_reward] = loss_and_reward(*run, kind, true);
    EXPECT_EQ(dropped_reward, reward);
    EXPECT_NE(dropped_loss, loss);
    SmallRun sure("{}", R"({"dropout": 0})", exact);
    EXPECT_EQ(loss_and_reward(sure, kind, true), loss_and_reward(sure, kind, false));
  }
}

/// The weights get gradients, those of the encoder as well.
TEST(SequenceObjectives, WithDropoutTeachEveryWeight) {
  const auto run = begun();
  const auto objective =
      made(*run, "self_critical", R"({"metric": "token_accuracy", "dropout": true})");
  loss_of(*run, *objective, run->batch(sentences)).backward();
  for (const NamedParameter& parameter : distinct_parameters_of(*run->trained.model)) {
    EXPECT_TRUE(parameter.tensor->gradient().defined()) << parameter.name;
  }
}

TEST(SequenceObjectives, GoOnExactly) {
  const char* const across = R"({"decoder": {"kind": "transformer", "width": 8, "dropout": 0.1}})";
  const char* const critical = R"({"objectives": [{"kind": "self_critical", "metric": "per"},
    {"kind": "teacher_forcing", "weight": 0.1}], "accumulate": 2})";
  expect_goes_on_exactly(critical, "{}");
  expect_goes_on_exactly(critical, across);
  expect_goes_on_exactly(
      R"({"objectives": {"kind": "self_critical", "metric": "per", "dropout": true}})", across);
  expect_goes_on_exactly(R"({"objectives": {"kind": "minimum_risk", "metric": "chrf"}})", "{}");
}

TEST(SequenceObjectives, RefuseWhatMakesNoSense) {
  const ScratchDirectory scratch;
  const auto refusal = [&](const std::string& objectives, const std::string& model) {
    SmallRun run(R"({"objectives": )" + objectives + "}", model);
    return failure(Fault::usage, [&] { run.run(scratch.path()); });
  };
  EXPECT_THAT(refusal(R"({"kind": "self_critical", "metric": "aer"})", "{}"),
              HasSubstr("self_critical cannot use the metric aer, which compares alignments"));
  EXPECT_THAT(refusal(R"({"kind": "self_critical", "baseline": "others", "samples": 1})", "{}"),
              HasSubstr("there is only one; raise samples"));
  EXPECT_THAT(refusal(R"({"kind": "minimum_risk", "reference": false, "samples": 1})", "{}"),
              HasSubstr("minimum_risk compares outputs, and one alone cannot become likelier than "
                        "another; raise samples, or set reference = true"));
  EXPECT_THAT(refusal(R"(["minimum_risk", "lengths"])",
                      R"({"embedding": 8, "encoder": {"kind": "transformer", "width": 8},
                          "decoder": {"kind": "mask_predict", "width": 8}})"),
              HasSubstr("not for the decoder mask_predict"));
}

}  // namespace
}  // namespace heed::test::sequence_objectives_test
