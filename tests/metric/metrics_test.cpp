#include "heed/metric/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "heed/base/error.h"
#include "heed/config/apply.h"
#include "heed/config/explain.h"
#include "tests/support/worked_out.h"

namespace heed::metrics_test {
namespace {

using Texts = std::vector<std::string>;
using Many = std::vector<References>;

double score(std::string_view name, const Texts& hypotheses, const Many& references) {
  return metrics().make(name)->score(hypotheses, references);
}

TEST(ExactMatch, SharesOfWholeOutputs) {
  EXPECT_DOUBLE_EQ(score("exact_match", {"a b", "c", "d", ""}, {{"a b"}, {"x", "c"}, {"e"}, {""}}),
                   75);
  EXPECT_DOUBLE_EQ(score("sequence_accuracy", {" a  b\n"}, {{"a b"}}), 100);
  EXPECT_DOUBLE_EQ(score("exact_match", {"ab"}, {{"a b"}}), 0);
}

TEST(TokenAccuracy, SharesOfPositions) {
  EXPECT_DOUBLE_EQ(score("token_accuracy", {"a b c"}, {{"a x c"}}), 100 * 2.0 / 3);
  EXPECT_DOUBLE_EQ(score("token_accuracy", {"a"}, {{"a b"}}), 50);
  EXPECT_DOUBLE_EQ(score("token_accuracy", {"a b c d"}, {{"a b"}}), 50);
  EXPECT_DOUBLE_EQ(score("token_accuracy", {"a", "b b b"}, {{"x"}, {"b b b"}}), 75);
  EXPECT_DOUBLE_EQ(score("token_accuracy", {"a b"}, {{"x y", "a y", "a b c d e"}}), 50);
  EXPECT_DOUBLE_EQ(score("token_accuracy", {""}, {{""}}), 100);
}

TEST(LabelF1, IsTheMeanOverLabels) {
  // keep: TP 2, FP 1, FN 1 → 2/3; drop: TP 1, FP 1, FN 1 → 1/2.
  EXPECT_DOUBLE_EQ(
      score("f1", {"keep keep drop", "keep drop"}, {{"keep drop drop"}, {"keep keep"}}),
      100 * (2.0 / 3 + 1.0 / 2) / 2);
  // A label that no reference has counts against the right one alone: x has FN 1, y is no label.
  EXPECT_DOUBLE_EQ(score("f1", {"x y"}, {{"x x"}}), 100 * 2.0 / 3);
  // What is missing is wrong, what is too much is wrong.
  EXPECT_DOUBLE_EQ(score("f1", {"x"}, {{"x x"}}), 100 * 2.0 / 3);
  EXPECT_DOUBLE_EQ(score("f1", {"x x"}, {{"x"}}), 100 * 2.0 / 3);
  // The reference with the most right positions.
  EXPECT_DOUBLE_EQ(score("f1", {"x x y"}, {{"y y x", "x x y"}}), 100);
  EXPECT_DOUBLE_EQ(score("f1", {""}, {{""}}), 100);
}

TEST(LabelF1, OfOneLabel) {
  const auto metric = metrics().make("f1");
  MetricSettings settings;
  settings.f1_label = "keep";
  metric->set(settings);
  EXPECT_FALSE(metric->needs_corpus());
  const Texts said = {"keep keep drop", "keep drop"};
  const Many wanted = {{"keep drop drop"}, {"keep keep"}};
  EXPECT_DOUBLE_EQ(metric->score(said, wanted), 100 * 2.0 / 3);
  EXPECT_EQ(metric->traits().front().second, "keep");
}

TEST(ErrorRate, CountsEditsOverTheWholeCorpus) {
  EXPECT_DOUBLE_EQ(score("wer", {"the cat sat"}, {{"the cat sat"}}), 0);
  // One substitution, one deletion and one insertion in 4 + 2 words; the mean of the two rates
  // would be 75.
  EXPECT_DOUBLE_EQ(score("wer", {"a x c", "e f g"}, {{"a b c d"}, {"e f"}}), 50);
  EXPECT_DOUBLE_EQ(score("wer", {"a b c"}, {{"z"}}), 300);
  EXPECT_DOUBLE_EQ(score("cer", {"kitten"}, {{"sitting"}}), 100 * 3.0 / 7);
  EXPECT_DOUBLE_EQ(score("cer", {"图书馆"}, {{"图画馆"}}), 100 / 3.0);
  EXPECT_DOUBLE_EQ(score("cer", {" a   b "}, {{"a b"}}), 0);
  EXPECT_DOUBLE_EQ(score("cer", {"ab"}, {{"a b"}}), 100 / 3.0);
  EXPECT_DOUBLE_EQ(score("per", {"HH AH0 L OW1"}, {{"HH EH0 L OW1"}}), 25);
}

TEST(ErrorRate, TheKindestReferenceCounts) {
  EXPECT_DOUBLE_EQ(score("wer", {"a b c"}, {{"x y z", "a b d"}}), 100 / 3.0);
  // Two edits of five words beat one edit of two.
  EXPECT_DOUBLE_EQ(score("wer", {"a b c"}, {{"b c", "a b c d e"}}), 40);
}

TEST(ErrorRate, EmptySides) {
  EXPECT_DOUBLE_EQ(score("wer", {""}, {{"a b"}}), 100);
  EXPECT_DOUBLE_EQ(score("wer", {""}, {{""}}), 0);
  EXPECT_DOUBLE_EQ(score("wer", {"a b"}, {{""}}), 200);
}

TEST(AlignmentErrorRate, SureLinksMustBeThereAndPossibleOnesMay) {
  EXPECT_DOUBLE_EQ(score("aer", {"0-0 1-1"}, {{"0-0 1-1"}}), 0);
  EXPECT_DOUBLE_EQ(score("aer", {"0-0 1-1"}, {{"0-0 1p1 2?2"}}), 0);
  // A = 3, S = 2, A ∩ S = 1, A ∩ P = 2.
  EXPECT_DOUBLE_EQ(score("aer", {"0-0 1-1 5-5"}, {{"0-0 1p1 2-2"}}), 100 * (1 - 3.0 / 5));
  EXPECT_DOUBLE_EQ(score("aer", {"", "0-0"}, {{"0-0"}, {"0-0"}}), 100 * (1 - 2.0 / 3));
  EXPECT_DOUBLE_EQ(score("aer", {"0-0"}, {{"1-1", "0-0 1-1"}}), 100 * (1 - 2.0 / 3));
  EXPECT_DOUBLE_EQ(score("aer", {""}, {{""}}), 0);
  EXPECT_DOUBLE_EQ(score("aer", {"0-0 0-0"}, {{"0-0"}}), 0);
  for (const char* bad : {"0", "0-", "-1-0", "0-0-0", "0x0", "a-b", "0-1.5", "1e3-0",
                          "99999999999999999999-0", "0--1"}) {
    EXPECT_THROW(score("aer", {bad}, {{"0-0"}}), Error) << bad;
    EXPECT_THROW(score("aer", {"0-0"}, {{bad}}), Error) << bad;
  }
}

TEST(Metrics, IgnoreCaseWhereAsked) {
  for (const char* name : {"bleu", "chrf", "chrf++", "wer", "cer", "per", "exact_match"}) {
    const auto metric = metrics().make(name);
    const Texts capitals = {"THE CAT SAT ON THE MAT"};
    const Many small = {{"the cat sat on the mat"}};
    const double before = metric->score(capitals, small);
    MetricSettings settings;
    settings.is_lowercase = true;
    metric->set(settings);
    EXPECT_DOUBLE_EQ(metric->score(capitals, small), metric->higher_is_better() ? 100 : 0) << name;
    EXPECT_NE(metric->score(capitals, small), before) << name;
  }
}

TEST(Bleu, RefusesATokenisationThereIsNot) {
  MetricSettings settings;
  settings.tokenise = "13b";
  EXPECT_THROW(metrics().make("bleu")->set(settings), Error);
}

TEST(Metrics, EveryOneIsBestOnItsReferencesAndRefusesBadInput) {
  const Texts right = {"the cat sat on the mat", "我 喜欢 x 图书馆 y z w", "x"};
  const Texts wrong = {"a dog ran by", "他 不", "v"};
  const Texts right_links = {"0-0 1-1", "1-2", "0-0"};
  const Texts wrong_links = {"0-1 1-0", "2-2", "1-1"};
  const Texts right_times = {"a@0 b@1", "c@2", "a@0"};
  const Texts wrong_times = {"a@0.5 b@1", "c@2.1", "b@0"};
  for (const auto& entry : metrics()) {
    const auto metric = entry.make();
    const Texts& good = metric->reads_links()   ? right_links
                        : metric->reads_times() ? right_times
                                                : right;
    const Texts& bad = metric->reads_links()   ? wrong_links
                       : metric->reads_times() ? wrong_times
                                               : wrong;
    const Many references = {{bad[1], good[0]}, {good[1]}, {good[2]}};
    EXPECT_EQ(metric->name(), entry.name);
    EXPECT_FALSE(entry.formula.empty());
    EXPECT_FALSE(metric->title().empty());
    const double best = metric->score(good, references);
    const double worst = metric->score(bad, references);
    // "x" has no pairs of words, CIDEr-D is a mean over references, and COCO's BLEU falls short of
    // 100 by what it adds against a division by 0 (captions_test.cpp).
    const bool reaches_best =
        entry.name != "rouge2" && entry.name != "cider_d" && !entry.name.starts_with("coco_bleu");
    if (reaches_best) {
      EXPECT_NEAR(best, metric->best(), 1e-12) << entry.name;
    }
    EXPECT_TRUE(metric->higher_is_better() ? best <= metric->best() + 1e-12 : best >= 0)
        << entry.name;
    EXPECT_TRUE(metric->higher_is_better() ? worst < best : worst > best) << entry.name;
    EXPECT_THROW(metric->score({}, {}), Error) << entry.name;
    EXPECT_THROW(metric->score(good, Many{{"0-0"}}), Error) << entry.name;
    EXPECT_THROW(metric->score(good, Many{{"0-0"}, {}, {"0-0"}}), Error) << entry.name;
    EXPECT_THROW(metric->score(Texts{"\xFF"}, Many{{"0-0"}}), Error) << entry.name;
    EXPECT_THROW(metric->score(Texts{"0-0"}, Many{{"\xFF"}}), Error) << entry.name;
  }
}

/// Another value than the usual one.
Json other_value(const std::string& setting) {
  static const std::map<std::string, Json> others = {{"tokenize", "char"},
                                                     {"smooth", "floor"},
                                                     {"smooth_value", 0.7},
                                                     {"f1_label", "b"},
                                                     {"within", 500.0}};
  const auto found = others.find(setting);
  return found == others.end() ? Json(true) : found->second;
}

/// Settings of which those have another value.
MetricSettings changed(const Texts& names) {
  Json tree = Json::object();
  for (const std::string& name : names) {
    tree.set(name, other_value(name));
  }
  MetricSettings settings;
  apply(settings, tree);
  return settings;
}

/// The score of all texts with these settings, and of each alone.
std::vector<double> scores_with(const MetricSettings& settings, std::string_view name) {
  const Texts texts = {"The Cat sat's, on-the  Mat .", "a b x. d", "図書館 に行く。 いい、本", "B"};
  const Many wanted = {
      {"the cat sat's on the mat now"}, {"A b. c d e"}, {"図書館に行く いい本"}, {"b"}};
  const Texts times = {"a@0 b@1", "c@2", "a@0", "d@0"};
  const Many starts = {{"a@0.3 b@1"}, {"c@2.3"}, {"a@0"}, {"d@0"}};
  const Texts links = {"0-0", "1-1 2-2", "", "0-1"};
  const Many gold = {{"0-0 1p1"}, {"1-1"}, {"0-0"}, {"0-1"}};
  const auto metric = metrics().make(name);
  metric->set(settings);
  const Texts& given = metric->reads_links() ? links : metric->reads_times() ? times : texts;
  const Many& right = metric->reads_links() ? gold : metric->reads_times() ? starts : wanted;
  std::vector<double> scores = {metric->score(given, right)};
  const auto informed = metric->needs_corpus() ? metric->informed_by(right) : nullptr;
  for (std::size_t i = 0; i < given.size(); ++i) {
    scores.push_back(
        (informed ? *informed : *metric).score(std::span(&given[i], 1), std::span(&right[i], 1)));
  }
  return scores;
}

TEST(Metrics, ReadTheSettingsThatTheyNameAndNoOthers) {
  MetricSettings usual;
  Texts all;
  for (const SettingHelp& setting : explain(usual)) {
    all.push_back(setting.path);
  }
  for (const auto& entry : metrics()) {
    const Texts read = entry.make()->reads();
    EXPECT_THAT(all, ::testing::IsSupersetOf(read)) << entry.name;
    for (const std::string& setting : all) {
      // Some are for a value of another one: smooth_value is for smooth = floor.
      Texts others = all;
      std::erase(others, setting);
      const bool differs =
          scores_with(usual, entry.name) != scores_with(changed({setting}), entry.name) ||
          scores_with(changed(others), entry.name) != scores_with(changed(all), entry.name);
      const bool is_named = std::find(read.begin(), read.end(), setting) != read.end();
      EXPECT_EQ(differs, is_named) << entry.name << ", " << setting;
    }
  }
}

TEST(Metrics, ACorpusIsTheSumOfItsSentences) {
  const Texts outputs = {"the cat sat", "a dog", "x y z", ""};
  const Many references = {{"the cat sat down"}, {"the dog", "a cat"}, {"x z y"}, {"gone"}};
  const Texts links = {"0-0", "1-1 2-2", "", "0-1"};
  const Many gold = {{"0-0 1p1"}, {"1-1"}, {"0-0"}, {"0-1", "1-0"}};
  const Texts times = {"a@0", "b@1 c@2", "", "d@0"};
  const Many starts = {{"a@0 b@1"}, {"b@1.01"}, {"a@0"}, {"d@3", "d@0"}};
  for (const auto& entry : metrics()) {
    const auto metric = entry.make();
    const Texts& given = metric->reads_links() ? links : metric->reads_times() ? times : outputs;
    const Many& wanted = metric->reads_links() ? gold : metric->reads_times() ? starts : references;
    const auto sentences = metric->statistics(given, wanted);
    ASSERT_EQ(sentences.size(), 4U);
    Statistics sum(sentences[0].size());
    for (const Statistics& one : sentences) {
      ASSERT_EQ(one.size(), sum.size()) << entry.name;
      for (std::size_t i = 0; i < sum.size(); ++i) {
        sum[i] += one[i];
      }
    }
    EXPECT_EQ(metric->score(sum), metric->score(given, wanted)) << entry.name;
  }
}

TEST(Metrics, EveryOneIsWorkedOut) {
  const char* const sacrebleu = "Corpus.EveryLineEqualsSacrebleus";
  const char* const rouge = "Sentences.ScoresEqualSacrebleusAndRougeScores";
  const char* const edits = "ErrorRate.CountsEditsOverTheWholeCorpus";
  const char* const coco = "Captions.CorporaAndCaptionsEqualTheCocoEvaluation";
  test::expect_worked_out(metrics(),
                          {{"exact_match", "ExactMatch.SharesOfWholeOutputs"},
                           {"token_accuracy", "TokenAccuracy.SharesOfPositions"},
                           {"f1", "LabelF1.IsTheMeanOverLabels"},
                           {"wer", edits},
                           {"cer", edits},
                           {"per", edits},
                           {"ser", "SentenceErrorRate.CountsLinesWithAnyError"},
                           {"start_times", "StartTimes.CountsWordsThatBeginNearTheirPlace"},
                           {"bleu", sacrebleu},
                           {"chrf", sacrebleu},
                           {"chrf++", sacrebleu},
                           {"ter", sacrebleu},
                           {"rouge1", rouge},
                           {"rouge2", rouge},
                           {"rougeL", rouge},
                           {"coco_bleu1", coco},
                           {"coco_bleu2", coco},
                           {"coco_bleu3", coco},
                           {"coco_bleu4", coco},
                           {"coco_rougeL", coco},
                           {"cider_d", coco},
                           {"aer", "AlignmentErrorRate.SureLinksMustBeThereAndPossibleOnesMay"}});
}

}  // namespace
}  // namespace heed::metrics_test
