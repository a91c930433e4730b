// Sequence-level objectives on sources with several right targets, as the captions of a picture: rewards
// by hand, the gradient by hand, and a run that goes on exactly.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "heed/data/token_items.h"
#include "heed/tensor/tape.h"
#include "heed/train/objective/outputs.h"
#include "heed/train/objective/sequence_reward.h"
#include "heed/train/objectives.h"
#include "tests/base/scratch_directory.h"
#include "tests/train/judged_outputs.h"
#include "tests/train/small_run.h"

namespace heed::test::several_references_test {
namespace {

using ::testing::ElementsAre;

struct Rewarding : Described {
  Rewarding(const std::string& settings, const Corpus& train) {
    apply(*this, parse_json(settings, "test"));
    reward.prepare(train, "test");
  }
  void describe(Describer& d) override { reward.describe(d); }
  SequenceReward reward;
};

/// Sources with two targets each: the letters backwards, and the first letter alone.
std::vector<Row> two_targets_each(int count) {
  std::vector<Row> rows;
  for (const Example& example : backwards(0, count)) {
    rows.push_back({example.source, {example.target, example.source.substr(0, 1)}});
  }
  return rows;
}

Batch batch_of(const Corpus& train, std::vector<int64_t> which, const Place& place) {
  return make_batch(train.items(which), place);
}

TEST(SeveralReferences, EachExampleIsComparedWithAllTargetsOfItsSource) {
  const SmallRun run;
  const Corpus train(std::vector<Row>{{"a b", {"b a", "b c"}}, {"c d", {"d d"}}}, run.fields);
  const Rewarding made(R"({"metric": "cider_d"})", train);
  const Batch batch = batch_of(train, {2, 1, 0}, run.trained.model->place());
  EXPECT_THAT(batch.examples, ElementsAre(2, 1, 0));
  const std::vector<References> references = made.reward.references_of(batch);
  EXPECT_THAT(references, ElementsAre(ElementsAre("d d"), ElementsAre("b a", "b c"),
                                      ElementsAre("b a", "b c")));
}

/// Of the two documents one has each of the words a, b and c, so that every n-gram weighs ln 2.
TEST(SeveralReferences, RewardsByHand) {
  const SmallRun run;
  const Corpus train(std::vector<Row>{{"a b", {"b a", "b c"}}, {"c d", {"d d"}}}, run.fields);
  const Rewarding made(R"({"metric": "cider_d"})", train);
  const References references = {"b a", "b c"};
  const std::vector<TokenId> right = {ids_of(train.target(0)).begin(),
                                      ids_of(train.target(0)).end()};
  // "b a" against itself: words and the pair agree, orders 3 and 4 are empty, (1 + 1) / 4. Against
  // "b c": one word of two, ½ / 4, and another pair. CIDEr-D is ten times the mean.
  EXPECT_NEAR(made.reward(right, references), 10 * (0.5 + 0.125) / 2, 1e-12);
  EXPECT_NEAR(made.reward(right, {"b a"}), 10 * 0.5, 1e-12);
  // "b" against each: 1 / √2 of the words, and one pair fewer.
  EXPECT_NEAR(made.reward(std::vector<TokenId>{right[0]}, references),
              10 / std::sqrt(2) / 4 * std::exp(-1 / 72.0), 1e-12);
  EXPECT_DOUBLE_EQ(made.reward.best(), 10);
}

TEST(SeveralReferences, AnUnknownWordIsNeverRight) {
  const SmallRun run;
  const Corpus train(std::vector<Row>{{"a b", {"b strange", "b c"}}, {"c d", {"d d"}}}, run.fields);
  const Rewarding made(R"({"metric": "token_accuracy"})", train);
  const Batch batch = batch_of(train, {0, 2}, run.trained.model->place());
  const std::vector<References> references = made.reward.references_of(batch);
  EXPECT_THAT(references[0], ElementsAre("b \uFFFD", "b c"));
  const std::vector<TokenId> said = {ids_of(train.target(0)).begin(),
                                     ids_of(train.target(0)).end()};
  EXPECT_EQ(said[1], SpecialTokens().unknown());
  EXPECT_DOUBLE_EQ(made.reward(said, references[0]), 0.5);
}

/// One character, as in a reference, and not the five of "<unk>".
TEST(SeveralReferences, AnUnknownWordIsOneWrongCharacter) {
  const SmallRun run;
  const Corpus train(std::vector<Row>{{"a b", {"b strange", "b c"}}}, run.fields);
  const Rewarding errors(R"({"metric": "cer"})", train);
  const TokenId known = ids_of(train.target(1))[0];
  const std::vector<TokenId> said = {known, SpecialTokens().unknown()};
  EXPECT_DOUBLE_EQ(errors.reward(said, {"b c"}), -1.0 / 3);
  EXPECT_DOUBLE_EQ(errors.reward(said, {"b \uFFFD"}), -1.0 / 3);
  const Rewarding characters(R"({"metric": "chrf"})", train);
  const auto with = [&](TokenId last) {
    return characters.reward(std::vector<TokenId>{known, last}, {"b c"});
  };
  const TokenId other = run.fields.target->vocabulary().encode("a").front();
  EXPECT_DOUBLE_EQ(with(SpecialTokens().unknown()), with(other));
}

TEST(SeveralReferences, ABatchOfAnotherOriginHasItsOwnTargets) {
  const SmallRun run;
  const Corpus train(std::vector<Row>{{"a b", {"b a", "b c"}}}, run.fields);
  const Rewarding made(R"({"metric": "bleu"})", train);
  Batch batch = batch_of(train, {1}, run.trained.model->place());
  batch.examples.clear();
  EXPECT_THAT(made.reward.references_of(batch), ElementsAre(ElementsAre("b c")));
}

/// The best share of right positions among several right sequences.
double best_share(const std::vector<TokenId>& said,
                  const std::vector<std::vector<TokenId>>& right) {
  double best = 0;
  for (const auto& one : right) {
    double same = 0;
    for (size_t i = 0; i < std::min(said.size(), one.size()); ++i) {
      same += said[i] == one[i] ? 1 : 0;
    }
    best = std::max(best, same / static_cast<double>(std::max(said.size(), one.size())));
  }
  return best;
}

/// ∂ ln p(y) / ∂b = Σ_t (1_{y_t} − p_t) for the bias of the output layer, over words that can be drawn.
std::vector<double> slope_of(const Model& model, const Corpus& train, int64_t example,
                             const TaughtOutput& output) {
  BatchItems items = train.items(std::vector<int64_t>{example});
  items.target = {item_of(output.ids)};
  const NoGrad no_gradients;
  Pass pass = Pass::serving();
  const Tensor log_p =
      judged::drawn_log_p(model.teach(make_batch(items, model.place()), {}, pass).logits);
  const auto words = static_cast<size_t>(log_p.size(1));
  const std::vector<double> all = log_p.values();
  std::vector<double> slope(words, 0);
  for (size_t t = 0; t < output.ids.size() + (output.ended ? 1 : 0); ++t) {
    const auto word =
        static_cast<size_t>(t < output.ids.size() ? output.ids[t] : SpecialTokens().end());
    for (size_t v = 0; v < words; ++v) {
      slope[v] += (v == word ? 1 : 0) - std::exp(all[t * words + v]);
    }
  }
  return slope;
}

std::vector<double> output_bias_gradient(const Model& model) {
  for (const NamedParameter& parameter : parameters_of(const_cast<Model&>(model))) {
    if (parameter.name == "decoder.output.bias") {
      return parameter.tensor->gradient().values();
    }
  }
  ADD_FAILURE() << "there is no output bias";
  return {};
}

TEST(SeveralReferences, TheGradientIsTheOneWorkedOutByHand) {
  constexpr size_t samples = 6;
  SmallRun run(R"({"steps": 40, "validate_every": 0})", "{}", {&forced("reference"), DType::f64});
  run.train = Corpus(two_targets_each(40), run.fields);
  Model& model = *run.trained.model;
  {
    Stepper stepper(run.training, model, run.train);
    for (int64_t step = 0; step < 40; ++step) {
      stepper.take({step, step, 0});
    }
  }
  for (const NamedParameter& parameter : distinct_parameters_of(model)) {
    parameter.tensor->clear_gradient();
  }
  const auto objective = make_part(objectives(), "self_critical");
  apply(*objective,
        parse_json(R"({"metric": "token_accuracy", "samples": 6, "baseline": "others"})", "test"));
  objective->attach(model);
  objective->see(run.train);
  const std::vector<int64_t> which = {0, 3, 11, 30};
  const Batch batch = batch_of(run.train, which, model.place());
  const RandomKey key{3, 4, 5};
  const Tensor loss = (*objective)({batch, Decoded(), 0, &model, key});
  loss.backward();

  SearchOptions options;
  options.strategy = "sample";
  options.n_best = samples;
  options.seed = Draws(key).bits64(0);
  Pass pass = Pass::serving();
  const std::vector<TaughtOutput> outputs = found_outputs(
      model, model.autoregressive(), model.encode(batch.source, pass), batch, options);
  std::vector<double> rewards;
  bool second_counts = false;
  for (const TaughtOutput& output : outputs) {
    const int64_t source = which[static_cast<size_t>(output.sentence)] / 2;
    std::vector<std::vector<TokenId>> right;
    for (const int64_t i : {2 * source, 2 * source + 1}) {
      right.emplace_back(ids_of(run.train.target(i)).begin(), ids_of(run.train.target(i)).end());
    }
    rewards.push_back(best_share(output.ids, right));
    second_counts = second_counts || rewards.back() > best_share(output.ids, {right[0]});
  }
  ASSERT_TRUE(second_counts) << "no sample is nearer to the second target: the test shows nothing";
  std::vector<double> expected;
  for (size_t c = 0; c < outputs.size(); ++c) {
    const size_t first = c / samples * samples;
    double others = -rewards[c];
    for (size_t k = 0; k < samples; ++k) {
      others += rewards[first + k];
    }
    const double factor = (others / (samples - 1) - rewards[c]) /
                          (samples * static_cast<double>(batch.target_tokens()));
    const std::vector<double> slope =
        slope_of(model, run.train, which[static_cast<size_t>(outputs[c].sentence)], outputs[c]);
    expected.resize(slope.size());
    for (size_t v = 0; v < slope.size(); ++v) {
      expected[v] += factor * slope[v];
    }
  }
  const std::vector<double> gradient = output_bias_gradient(model);
  ASSERT_EQ(gradient.size(), expected.size());
  double largest = 0;
  for (size_t v = 0; v < expected.size(); ++v) {
    EXPECT_NEAR(gradient[v], expected[v], 1e-12) << v;
    largest = std::max(largest, std::abs(expected[v]));
  }
  EXPECT_GT(largest, 1e-3);
}

TEST(SeveralReferences, ARunGoesOnExactly) {
  const char* const training = R"({"objectives": {"kind": "self_critical", "metric": "cider_d"}})";
  const ScratchDirectory scratch;
  const auto ready = [&] {
    auto run = std::make_unique<SmallRun>(training);
    run->train = Corpus(two_targets_each(40), run->fields);
    return run;
  };
  const auto whole = ready();
  const TrainReport expected = whole->run(scratch / "whole");
  const auto first = ready();
  stop_after(*first, 5);
  EXPECT_EQ(first->run(scratch / "cut").ending, Ending::interrupted);
  const auto second = ready();
  poison(*second, 0.25);
  EXPECT_EQ(second->run(scratch / "cut").state, expected.state);
  EXPECT_EQ(metrics_of(scratch / "cut"), metrics_of(scratch / "whole"));
  EXPECT_EQ(second->weights(), whole->weights());
}

}  // namespace
}  // namespace heed::test::several_references_test
