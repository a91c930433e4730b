// What a search never draws, such as the start token, has no part in the ln p that is taught: the
// mean gradient of self_critical is that of −E[r], however likely the model thinks such a word. E[r]
// is worked out over all outputs.
#include <gtest/gtest.h>

#include "heed/ops/reduce.h"
#include "tests/train/judged_outputs.h"

namespace heed::test::drawn_outputs_slow_test {
namespace {

using namespace judged;  // NOLINT(google-build-using-namespace)

constexpr double start_probabilities[] = {0.01, 0.05, 0.2};

/// Gives the start token this probability at the first word of the first sentence.
void set_start_probability(const SmallRun& run, double probability) {
  const NoGrad no_gradients;
  Pass pass = Pass::serving();
  const Tensor logits = run.trained.model->teach(run.batch(1), {}, pass).logits;
  const double before = std::exp(log_softmax(logits).values()[SpecialTokens().start()]);
  const Tensor bias = output_bias(run);
  std::vector<double> values = bias.values();
  values[SpecialTokens().start()] +=
      std::log(probability / (1 - probability)) - std::log(before / (1 - before));
  bias.backend().upload(bias.view(), values.data());
  const Tensor now = run.trained.model->teach(run.batch(1), {}, pass).logits;
  ASSERT_NEAR(std::exp(log_softmax(now).values()[SpecialTokens().start()]), probability, 1e-12);
}

/// Every output of up to two words for every sentence: those that end, and those that are cut.
std::vector<TaughtOutput> all_of_two_words(const SmallRun& run) {
  std::vector<TokenId> words;
  const Vocabulary& vocabulary = run.fields.target->vocabulary();
  for (TokenId id = 0; id < static_cast<TokenId>(vocabulary.size()); ++id) {
    if (id != SpecialTokens().end() && id != SpecialTokens().start()) {
      words.push_back(id);
    }
  }
  std::vector<TaughtOutput> all;
  for (int32_t b = 0; b < sentences; ++b) {
    all.push_back({b, {}, true});
    for (const TokenId first : words) {
      all.push_back({b, {first}, true});
      for (const TokenId second : words) {
        all.push_back({b, {first, second}, false});
      }
    }
  }
  return all;
}

/// Whatever a sample is compared with, the mean of (r_b − r(y)) ∇ ln p(y) is −∇E[r].
TEST(DrawnOutputs, TeachTheGradientOfTheMeanReward) {
  for (const double start : start_probabilities) {
    for (const double temperature : {1.0, 0.5}) {
      SCOPED_TRACE(fmt::format("p(start) {}, temperature {}", start, temperature));
      const auto run = begun();
      set_start_probability(*run, start);
      const std::vector<TaughtOutput> outputs = all_of_two_words(*run);
      std::vector<double> probability;
      std::vector<double> reward;
      std::vector<double> expected(output_bias(*run).values().size());
      double total = 0;
      for (const TaughtOutput& output : outputs) {
        const ByHand one(*run, output, temperature);
        probability.push_back(std::exp(one.log_probability));
        reward.push_back(share_right(output.ids, right_ids(*run, output.sentence)));
        total += probability.back();
        for (size_t v = 0; v < expected.size(); ++v) {
          expected[v] -= probability.back() * reward.back() * one.slope[v];
        }
      }
      EXPECT_NEAR(total, sentences, 1e-12);
      for (const double baseline : {0.0, 0.7}) {
        const Model& model = *run->trained.model;
        Pass pass = Pass::serving();
        const Tensor log_p = log_probabilities(model.autoregressive(),
                                               model.encode(run->batch(sentences).source, pass),
                                               outputs, temperature, pass);
        std::vector<double> factor;
        double sum_of_p = 0;
        for (size_t c = 0; c < outputs.size(); ++c) {
          factor.push_back(probability[c] * (baseline - reward[c]));
          sum_of_p += std::exp(log_p.values()[c]);
        }
        EXPECT_NEAR(sum_of_p, sentences, 1e-12);
        sum(log_p * Tensor::of(factor, log_p.shape(), exact), {0}).backward();
        const std::vector<double> gradient = bias_gradient(*run);
        for (size_t v = 0; v < expected.size(); ++v) {
          EXPECT_NEAR(gradient[v], expected[v], 1e-12) << "word " << v << ", r_b " << baseline;
        }
        EXPECT_EQ(gradient[SpecialTokens().start()], 0);
        Tensor(output_bias(*run)).clear_gradient();
      }
    }
  }
}

/// The metric exact_match: E[r] is the probability of the right output.
TEST(DrawnOutputs, GiveSelfCriticalOnAverageTheGradientOfTheMeanReward) {
  constexpr int64_t rounds = 25;
  for (const auto& [start, baseline, temperature] :
       {std::tuple(0.01, "greedy", 1.0), std::tuple(0.05, "greedy", 1.0),
        std::tuple(0.2, "greedy", 1.0), std::tuple(0.2, "others", 0.6)}) {
    SCOPED_TRACE(fmt::format("p(start) {}, {}, temperature {}", start, baseline, temperature));
    const auto run = begun(150);
    set_start_probability(*run, start);
    const Batch batch = run->batch(sentences);
    const auto objective = made(
        *run, "self_critical",
        fmt::format(
            R"({{"metric": "exact_match", "samples": 100, "baseline": "{}", "temperature": {}}})",
            baseline, temperature));
    std::vector<double> expected(output_bias(*run).values().size());
    for (int32_t b = 0; b < sentences; ++b) {
      const ByHand right(*run, {b, right_ids(*run, b), true}, temperature);
      for (size_t v = 0; v < expected.size(); ++v) {
        expected[v] -= std::exp(right.log_probability) * right.slope[v] /
                       static_cast<double>(batch.target_tokens());
      }
    }
    std::vector<double> total(expected.size());
    std::vector<double> squares(expected.size());
    for (uint64_t round = 0; round < rounds; ++round) {
      Tensor(output_bias(*run)).clear_gradient();
      loss_of(*run, *objective, batch, {round, 4, 5}).backward();
      const std::vector<double> gradient = bias_gradient(*run);
      for (size_t v = 0; v < expected.size(); ++v) {
        total[v] += gradient[v];
        squares[v] += gradient[v] * gradient[v];
      }
    }
    double distance = 0;
    double length = 0;
    double noise = 0;
    for (size_t v = 0; v < expected.size(); ++v) {
      const double mean = total[v] / rounds;
      distance += std::pow(mean - expected[v], 2);
      length += std::pow(expected[v], 2);
      noise += (squares[v] / rounds - mean * mean) / (rounds - 1);  // the mean's variance
    }
    EXPECT_LT(distance, 4 * noise);
    EXPECT_GT(length, 50 * noise);
  }
}

}  // namespace
}  // namespace heed::test::drawn_outputs_slow_test
