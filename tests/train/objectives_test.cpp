#include "heed/train/objectives.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "heed/model/ctc/paths.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/concat.h"
#include "heed/ops/slice.h"
#include "heed/train/loss.h"
#include "heed/train/objective_list.h"
#include "tests/base/scratch_directory.h"
#include "tests/nn/leaves.h"
#include "tests/support/directional.h"
#include "tests/support/worked_out.h"
#include "tests/train/small_run.h"

namespace heed::objectives_test {
namespace {

using test::failure;
using test::SmallRun;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const char* const recurrent = R"({"dropout": 0})";
const char* const transformer =
    R"({"dropout": 0, "embedding": 8, "encoder": {"kind": "transformer", "width": 8},
  "decoder": {"kind": "transformer", "width": 8, "depth": 2, "cross": {"heads": 2}}})";
const char* const mask_predict =
    R"({"dropout": 0, "embedding": 8, "encoder": {"kind": "transformer", "width": 8},
  "decoder": {"kind": "mask_predict", "width": 8, "depth": 2, "cross": {"heads": 2}}})";
const char* const framewise =
    R"({"dropout": 0, "encoder": "gru", "decoder": {"kind": "ctc", "upsample": 2}})";
constexpr const char* both =
    R"({"objectives": ["teacher_forcing", {"kind": "doubly_stochastic", "weight": 0.5}]})";

Place exact() { return {&test::forced("reference"), DType::f64}; }

Tensor total(const SmallRun& run, int64_t step = 0) {
  Pass pass = Pass::serving();
  const Batch batch = run.batch(6);
  return run.training
      .objectives({*run.trained.model, batch, {step, 10, 0}, run.training.label_smoothing}, pass)
      .total;
}

/// Two sentences of 2 and 1 words over sources of 2 and 3; two blocks of two heads.
struct ByHand {
  explicit ByHand(const Place& place) {
    batch.target = Layout::packed(std::vector<int32_t>{2, 1}, place);
    decoded.memory_lengths = {2, 3};
    decoded.reports.resize(2);
    decoded.reports[0].weights = Tensor::of(
        std::vector<double>{1, 0, 0, 0.5, 0.5, 0, 0.5, 0.5, 0, 0.5, 0.5, 0, 0, 0.5, 0.5, 0, 0, 1},
        {3, 2, 3}, place);
    decoded.reports[1].weights = Tensor::zeros({3, 2, 3}, place);
  }
  double loss(Objective& objective) const { return objective({batch, decoded}).item(); }
  double loss() const { return loss(*objectives().make("doubly_stochastic")); }

  Batch batch;
  Decoded decoded;
};

TEST(DoublyStochastic, IsTheSquareOfWhatIsMissing) {
  for (const Place& place : test::places()) {
    ByHand given(place);
    // α, the mean of four heads, is half that of the first block's two: (0.375, 0.125) and
    // (0.25, 0.25) of sentence 0, (0, 0.125, 0.375) of sentence 1. So coverage is (0.625, 0.375) and
    // (0, 0.125, 0.375), and 1 − coverage squared 0.140625 + 0.390625 + 1 + 0.765625 + 0.390625.
    EXPECT_NEAR(given.loss(), 2.6875 / 3, 1e-6);
    given.decoded.reports.pop_back();
    // (1.25, 0.75) and (0, 0.25, 0.75): 0.0625 + 0.0625 + 1 + 0.5625 + 0.0625.
    EXPECT_NEAR(given.loss(), 1.75 / 3, 1e-6);
  }
}

/// W of `diagonal` with g = 0.2 at this distance from the diagonal.
double off_diagonal(double distance) {
  return 1 - std::exp(-distance * distance / (2 * 0.2 * 0.2));
}

TEST(Diagonal, IsTheMeanOfWhatLiesBesideTheDiagonal) {
  for (const Place& place : test::places()) {
    ByHand given(place);
    given.decoded.reports.pop_back();
    // α, the mean of two heads, is (0.75, 0.25) and (0.5, 0.5) of sentence 0, T = S = 2, and
    // (0, 0.25, 0.75) of sentence 1, T = 1, S = 3.
    const double first = (0.25 + 0.5) * off_diagonal(0.5) / 2;
    const double second = (0.25 * off_diagonal(1.0 / 3) + 0.75 * off_diagonal(2.0 / 3)) / 3;
    EXPECT_NEAR(given.loss(*objectives().make("diagonal")), (first + second) / 3, 1e-6);
  }
}

TEST(LeftToRight, CountsHowFarAttentionGoesBack) {
  for (const Place& place : test::places()) {
    ByHand given(place);
    given.decoded.reports.pop_back();
    // e of sentence 0 is 0.25 · ½ and 0.5 · ½: nothing goes back, and sentence 1 has one word.
    EXPECT_NEAR(given.loss(*objectives().make("left_to_right")), 0, 1e-7);
    // Its words the other way round: e falls from 0.25 to 0.125. All tokens of the batch are 3.
    const Tensor weights = given.decoded.reports[0].weights;
    given.decoded.reports[0].weights =
        concat({slice(weights, 0, 1, 1), slice(weights, 0, 0, 1), slice(weights, 0, 2, 1)}, 0);
    EXPECT_NEAR(given.loss(*objectives().make("left_to_right")), 0.125 / 3, 1e-7);
  }
}

TEST(LeftToRight, MeasuresWhereThePeaksAre) {
  for (const Place& place : test::places()) {
    ByHand given(place);
    given.decoded.reports.pop_back();
    const auto objective = objectives().make("left_to_right");
    ASSERT_EQ(objective->measure_names(), (std::vector<std::string>{"backward", "reach"}));
    // The peaks of sentence 0 are slot 0 and, as both are equal, slot 0 again; that of sentence 1 is the
    // last of its three slots.
    given.loss(*objective);
    EXPECT_EQ(objective->measures().at(0).item(), 0);
    EXPECT_NEAR(objective->measures().at(1).item(), 0.5, 1e-7);
    // With (0.25, 0.75) before (0.75, 0.25), one of the batch's three outputs goes back.
    given.decoded.reports[0].weights =
        Tensor::of(std::vector<float>{0.25F, 0.75F, 0, 0.25F, 0.75F, 0, 0.75F, 0.25F, 0, 0.75F,
                                      0.25F, 0, 0, 0, 1, 0, 0, 1},
                   {3, 2, 3}, place);
    given.loss(*objective);
    EXPECT_NEAR(objective->measures().at(0).item(), 1.0 / 3, 1e-7);
    EXPECT_NEAR(objective->measures().at(1).item(), 1, 1e-7) << "both come to their last slots";
  }
}

TEST(ObjectivesOnAttention, TheirGradientsAgreeWithFiniteDifferences) {
  for (const char* objective : {"doubly_stochastic", "diagonal", "left_to_right"}) {
    for (const char* model : {recurrent, transformer}) {
      SmallRun run(fmt::format(R"({{"objectives": "{}"}})", objective), model, exact());
      const std::vector<Tensor> leaves = test::leaves_of(*run.trained.model);
      EXPECT_TRUE(test::gradient_agrees(
          leaves, [&] { return total(run); }, 3, 1e-5))
          << objective << " " << model;
      EXPECT_GT(total(run).item(), 0) << objective;
    }
  }
}

TEST(DoublyStochastic, SpreadsTheLookOverTheSource) {
  const ScratchDirectory scratch;
  const auto trained = [&](const std::string& name, const std::string& objectives) {
    SmallRun run(R"({"steps": 60, "validate_every": 0, "objectives": )" + objectives + "}",
                 recurrent);
    run.run(scratch / name);
    apply(run.training, parse_json(R"({"objectives": "doubly_stochastic"})", "test"));
    return total(run).item();
  };
  EXPECT_LT(trained("with", R"(["teacher_forcing", {"kind": "doubly_stochastic", "weight": 3}])"),
            0.8 * trained("without", R"("teacher_forcing")"));
}

TEST(Objectives, TeacherForcingIsTheDefaultBitForBit) {
  for (const double smoothing : {0.0, 0.1}) {
    SmallRun run(fmt::format(R"({{"label_smoothing": {}}})", smoothing));
    const Batch batch = run.batch(6);
    Pass one = Pass::training(1, 2);
    Pass two = Pass::training(1, 2);
    const auto losses = run.training.objectives({*run.trained.model, batch, {}, smoothing}, one);
    EXPECT_EQ(losses.total.item(),
              teacher_forcing_loss(*run.trained.model, batch, smoothing, two).item());
    EXPECT_TRUE(losses.each.empty());
  }
}

TEST(Objectives, SmoothingIsReadFromBothPlaces) {
  const auto loss = [](const std::string& settings) {
    return total(SmallRun(settings, recurrent)).item();
  };
  const double smoothed = loss(R"({"label_smoothing": 0.3})");
  EXPECT_NE(smoothed, loss("{}"));
  EXPECT_EQ(smoothed,
            loss(R"({"objectives": {"kind": "teacher_forcing", "label_smoothing": 0.3}})"));
  EXPECT_EQ(smoothed, loss(R"({"label_smoothing": 0.1,
                              "objectives": {"kind": "teacher_forcing", "label_smoothing": 0.3}})"));
}

TEST(Objectives, AddUpByTheirWeights) {
  const auto loss = [](const std::string& objectives, int64_t step) {
    return total(SmallRun(R"({"objectives": )" + objectives + "}", transformer, exact()), step)
        .item();
  };
  const double words = loss(R"("teacher_forcing")", 0);
  const double spread = loss(R"("doubly_stochastic")", 0);
  const std::string sum = R"([{"kind": "teacher_forcing", "weight": 2},
    {"kind": "doubly_stochastic", "weight": 0.5, "schedule": {"kind": "constant", "warm_up": 4}}])";
  EXPECT_NEAR(loss(sum, 0), 2 * words + 0.125 * spread, 1e-12);
  EXPECT_NEAR(loss(sum, 8), 2 * words + 0.5 * spread, 1e-12);
}

TEST(Objectives, HaveNames) {
  SmallRun run(R"({"objectives": ["teacher_forcing", "doubly_stochastic", "teacher_forcing"]})");
  EXPECT_THAT(run.training.objectives.names(),
              ElementsAre("teacher_forcing", "doubly_stochastic", "teacher_forcing.2"));
}

TEST(Objectives, EachHasItsLineOfMetrics) {
  const ScratchDirectory scratch;
  SmallRun run(R"({"accumulate": 2, "batch_sentences": 8, "steps": 1, "log_every": 1, "objectives":
    ["teacher_forcing", {"kind": "doubly_stochastic", "weight": 0.5, "schedule": "linear"}]})");
  std::optional<StepReport> shown;
  run.options.hooks.on_step = [&](const StepReport& report) { shown = report; };
  run.run(scratch.path());
  const std::string lines = read_file(scratch / "metrics.jsonl");
  const auto number_after = [&lines](const std::string& key) {
    const size_t at = lines.find(key);
    return at == std::string::npos ? NAN : std::stod(lines.substr(at + key.size()));
  };
  const double words = number_after(R"("objective":"teacher_forcing","objective_loss":)");
  const double spread = number_after(R"("objective":"doubly_stochastic","objective_loss":)");
  EXPECT_GT(words, 0);
  EXPECT_GT(spread, 0);
  EXPECT_THAT(lines, HasSubstr(R"("weight":1.0})"));
  EXPECT_THAT(lines, HasSubstr(R"("weight":0.0})"));  // linear, at the end of the run
  EXPECT_NEAR(shown->loss, words, 1e-6);
}

TEST(Objectives, RefuseAModelThatCannotGiveWhatTheyNeed) {
  const ScratchDirectory scratch;
  const auto refusal = [&scratch](const std::string& training, const std::string& model) {
    SmallRun run(training, model);
    return failure(Fault::usage, [&] { run.run(scratch.path()); });
  };
  EXPECT_THAT(refusal(both, R"({"decoder": {"kind": "fixed", "width": 6, "embedding": 6}})"),
              HasSubstr("doubly_stochastic looks at attention weights, and the decoder fixed has "
                        "none; choose another decoder, or leave it out"));
  EXPECT_THAT(
      refusal(R"({"objectives": {"kind": "teacher_forcing", "schedule": "plateau"}})", "{}"),
      HasSubstr("the schedule plateau for the weight of teacher_forcing"));
  EXPECT_THAT(
      refusal(R"({"objectives": []})", "{}"),
      HasSubstr("the list is empty; give at least one, or leave it out for teacher_forcing"));
  EXPECT_THAT(refusal("{}", mask_predict), HasSubstr("the decoder mask_predict"));
  EXPECT_THAT(refusal(R"({"objectives": ["teacher_forcing", "lengths"]})", "{}"),
              HasSubstr("lengths is for decoders that fill all positions at once, and attend_first "
                        "ends by itself; leave it out"));
  const char* const second = R"({"decoders": {"second": {"kind": "fixed", "width": 6}}})";
  EXPECT_THAT(refusal("{}", second), HasSubstr("none is for the decoder second"));
  EXPECT_THAT(
      refusal(R"({"objectives": {"kind": "teacher_forcing", "decoder": "second"}})", second),
      HasSubstr("none is for the decoder main"));
  EXPECT_THAT(
      refusal(R"({"objectives": ["teacher_forcing", {"kind": "teacher_forcing", "decoder": "x"}]})",
              "{}"),
      HasSubstr("there is no decoder \"x\"; choose one of main"));
  EXPECT_THAT(
      refusal(
          R"({"objectives": ["teacher_forcing", {"kind": "teacher_forcing", "decoder": "second"},
                  {"kind": "doubly_stochastic", "decoder": "second"}]})",
          second),
      HasSubstr("doubly_stochastic looks at attention weights, and the decoder fixed has none; "
                "choose another decoder, or leave it out"));
}

/// By hand: lengths of 2 and 3 words from sources of as many, R = 20, so column 20 is right.
TEST(Objectives, LengthsAreALossOfSentences) {
  SmallRun run(R"({"objectives": ["cross_entropy", "lengths"]})", mask_predict);
  const Batch batch = run.batch(5);
  Pass pass = Pass::serving();
  const Decoded decoded = run.trained.model->teach(batch, {}, pass);
  const std::vector<double> logits = decoded.lengths->logits.values();
  double expected = 0;
  for (size_t b = 0; b < 5; ++b) {
    double total = 0;
    for (size_t c = 0; c < 41; ++c) {
      total += std::exp(logits[b * 41 + c]);
    }
    expected += std::log(total) - logits[b * 41 + 20];
  }
  const auto objective = make_part(objectives(), "lengths");
  EXPECT_NEAR((*objective)({batch, decoded, 0}).item(),
              expected / static_cast<double>(batch.target_tokens()), 1e-5);
}

/// Words that were not hidden are not asked for.
TEST(Objectives, OnlyHiddenWordsAreCompared) {
  SmallRun run(R"({"objectives": ["cross_entropy", "lengths"]})", mask_predict);
  const Batch batch = run.batch(5);
  Pass pass = Pass::training(3, 4);
  const Decoded decoded = run.trained.model->teach(batch, {}, pass);
  const std::vector<int32_t> targets = decoded.targets.values<int32_t>();
  const std::vector<int32_t> right = batch.target_out.values<int32_t>();
  const auto words = static_cast<size_t>(decoded.logits.size(1));
  const std::vector<double> logits = decoded.logits.values();
  double expected = 0;
  size_t hidden = 0;
  for (size_t n = 0; n < targets.size(); ++n) {
    if (targets[n] < 0) {
      continue;
    }
    EXPECT_EQ(targets[n], right[n]);
    double total = 0;
    for (size_t v = 0; v < words; ++v) {
      total += std::exp(logits[n * words + v]);
    }
    expected += std::log(total) - logits[n * words + static_cast<size_t>(right[n])];
    ++hidden;
  }
  EXPECT_GT(hidden, 0U);
  EXPECT_LT(hidden, targets.size() - 5);  // the ends are never hidden
  EXPECT_NEAR(word_loss(decoded, batch, 0).item(),
              expected / static_cast<double>(batch.target_tokens()), 1e-5);
}

TEST(Objectives, RefuseAttentionThatWouldNeverLearnWhereToLook) {
  const ScratchDirectory scratch;
  for (
      const char* hard :
      {R"({"decoder": {"attention": {"normaliser": "hard"}}})",
       R"({"decoder": {"kind": "transformer", "width": 8, "cross": {"normaliser": "hard"}}})",
       R"({"embedding": 8, "encoder": {"kind": "transformer", "width": 8, "self": {"normaliser": "hard"}}})"}) {
    SmallRun run("{}", hard);
    EXPECT_THAT(
        failure(Fault::usage, [&] { run.run(scratch.path()); }),
        ::testing::AllOf(
            HasSubstr("with teacher_forcing no gradient reaches the score through model."),
            HasSubstr("normaliser = hard, so it would never learn"), HasSubstr("or gumbel")));
  }
  const auto said = [&](const char* objectives, const char* model) {
    SmallRun run(objectives, model);
    return failure(Fault::usage, [&] { run.run(scratch.path()); });
  };
  const char* hard = R"({"decoder": {"attention": {"normaliser": "hard"}}})";
  EXPECT_THAT(
      said("{}", hard),
      HasSubstr("add the objective reinforce or marginal "
                R"((--set 'training.objectives=["teacher_forcing","reinforce"]'), or choose)"));
  EXPECT_THAT(said(R"({"objectives": ["teacher_forcing", "doubly_stochastic"]})", hard),
              HasSubstr("add the objective reinforce or marginal, or choose"));
  SmallRun soft("{}", R"({"decoder": {"attention": {"normaliser": "gumbel"}}})");
  EXPECT_EQ(soft.run(scratch / "soft").ending, Ending::finished);
}

/// −ln p by all paths, divided by the target tokens, ends included; also the loss that validates.
TEST(Objectives, CtcIsTheLossOfAllPaths) {
  SmallRun run(R"({"objectives": ["ctc"]})", framewise, exact());
  const Batch batch = run.batch(6);
  Pass pass = Pass::serving();
  const Decoded said = run.trained.model->teach(batch, {}, pass);
  const std::vector<int32_t> words = batch.target_out.values<int32_t>();
  double expected = 0;
  size_t b = 0;
  for (const CtcFrames& frames : ctc_frames(said)) {
    const auto first = static_cast<size_t>(batch.target.starts()[b]);
    const auto count = static_cast<size_t>(batch.target.lengths()[b++]) - 1;
    expected -= ctc_log_probability(frames, std::span(words).subspan(first, count));
  }
  expected /= static_cast<double>(batch.target_tokens());
  EXPECT_NEAR(total(run).item(), expected, 1e-5);
  EXPECT_NEAR(word_loss(said, batch, 0).item(), expected, 1e-5);
}

TEST(Objectives, CtcAndItsDecoderBelongTogether) {
  const auto refusal = [](const std::string& training, const std::string& model) {
    return failure(Fault::usage, [&] {
      SmallRun run(training, model);
      run.training.objectives.attach(*run.trained.model);
    });
  };
  EXPECT_THAT(refusal(R"({"objectives": ["teacher_forcing"]})", framewise),
              HasSubstr("teacher_forcing compares the word at each position, and the decoder ctc"));
  EXPECT_THAT(
      refusal(R"({"objectives": ["ctc"]})", recurrent),
      HasSubstr(
          "ctc is for decoders that say a word or the blank at every frame, and attend_first"));
  EXPECT_THAT(refusal(R"({"objectives": ["ctc", "diagonal"]})", framewise),
              HasSubstr("diagonal looks at attention weights, and the decoder ctc has none"));
  // Targets of three words need three frames; the bag of words has as many as the source has words.
  SmallRun run(R"({"objectives": ["ctc"]})", framewise);
  const Batch batch = batch_of_ids({{4}}, {{5, 6, 7, 8, 9}}, run.trained.model->place());
  Pass pass = Pass::serving();
  const Decoded said = run.trained.model->teach(batch, {}, pass);
  EXPECT_THAT(failure(Fault::runtime, [&] { ctc_losses(said, batch, NoPath::refuse); }),
              HasSubstr("4 frames are too few for 5 labels"));
  EXPECT_EQ(ctc_losses(said, batch, NoPath::skip).item(), 0);
}

/// The words' loss over a moving average of itself, which it must remember: b ← 0.9 b + 0.1 L.
class OverBaseline : public Objective {
 public:
  void attach(Model& model) override { baseline_ = Tensor::full({1}, 1, model.place()); }
  Tensor operator()(const TaughtBatch& taught) override {
    const Tensor loss = word_loss(taught.decoded, taught.batch, 0);
    seen_ = loss.item();
    return loss * (1 / baseline_.item());
  }
  void follow() override {
    baseline_.backend().fill(baseline_.view(), 0.9 * baseline_.item() + 0.1 * seen_);
    ++followed_;
  }
  std::vector<NamedParameter> state() override { return {{"baseline", &baseline_}}; }
  std::vector<NamedNumber> numbers() override { return {{"followed", &followed_}}; }

 private:
  Tensor baseline_;
  double seen_ = 0;
  double followed_ = 0;
};

TEST(Objectives, WhatOneRemembersGoesOnExactly) {
  const ScratchDirectory scratch;
  const auto made = [] {
    auto run = std::make_unique<SmallRun>();
    auto one = std::make_unique<OverBaseline>();
    one->set_kind("over_baseline");
    run->training.objectives.add(std::move(one));
    return run;
  };
  const auto whole = made();
  whole->run(scratch / "whole");
  const auto first = made();
  test::stop_after(*first, 5);
  first->run(scratch / "run");
  const std::string saved = read_file(scratch / "run/checkpoints/step-00000005.safetensors");
  EXPECT_THAT(saved, HasSubstr("optimiser.objective.over_baseline.baseline"));
  EXPECT_THAT(saved, HasSubstr(R"(objective.over_baseline.followed\":5.0)"));
  const auto second = made();
  second->run(scratch / "run");
  EXPECT_EQ(second->weights(), whole->weights());
  EXPECT_EQ(read_file(scratch / "run/checkpoints/step-00000012.safetensors"),
            read_file(scratch / "whole/checkpoints/step-00000012.safetensors"));
  SmallRun without;
  EXPECT_EQ(without.run(scratch / "run").ending, Ending::finished);  // it may be left out
  const auto with = made();
  SmallRun().run(scratch / "plain");
  EXPECT_THAT(failure(Fault::usage, [&] { with->run(scratch / "plain"); }),
              HasSubstr("it has no optimiser.objective.over_baseline.baseline"));
}

TEST(Objectives, EveryOneIsWorkedOut) {
  test::expect_worked_out(objectives(),
                          {{"teacher_forcing", "Objectives.OnlyHiddenWordsAreCompared"},
                           {"doubly_stochastic", "DoublyStochastic.IsTheSquareOfWhatIsMissing"},
                           {"diagonal", "Diagonal.IsTheMeanOfWhatLiesBesideTheDiagonal"},
                           {"left_to_right", "LeftToRight.CountsHowFarAttentionGoesBack"},
                           {"alignment", "Alignment.IsTheCrossEntropyOfTheWeights"},
                           {"lengths", "Objectives.LengthsAreALossOfSentences"},
                           {"reinforce", "Reinforce.IsItsFormula"},
                           {"marginal", "Marginal.IsTheSumOverAllChoices"},
                           {"self_critical", "SelfCritical.ItsGradientIsTheOneWorkedOutByHand"},
                           {"minimum_risk", "MinimumRisk.ItsGradientIsTheOneWorkedOutByHand"},
                           {"ctc", "Objectives.CtcIsTheLossOfAllPaths"}});
}

}  // namespace
}  // namespace heed::objectives_test
