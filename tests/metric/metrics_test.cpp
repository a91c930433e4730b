#include "heed/metric/metrics.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed {
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

TEST(Metrics, EveryOneIsBestOnItsReferencesAndRefusesBadInput) {
  const Texts right = {"the cat sat on the mat", "我 喜欢 图书馆", "x"};
  const Texts wrong = {"a dog ran by", "他 不", "y"};
  const Many references = {{"none of it", right[0]}, {right[1]}, {right[2]}};
  for (const auto& entry : metrics()) {
    const auto metric = entry.make();
    EXPECT_EQ(metric->name(), entry.name);
    EXPECT_FALSE(entry.formula.empty());
    const double best = metric->score(right, references);
    const double worst = metric->score(wrong, references);
    EXPECT_DOUBLE_EQ(best, metric->higher_is_better() ? 100 : 0) << entry.name;
    EXPECT_TRUE(metric->higher_is_better() ? worst < best : worst > best) << entry.name;
    EXPECT_THROW(metric->score({}, {}), Error) << entry.name;
    EXPECT_THROW(metric->score(right, Many{{"one"}}), Error) << entry.name;
    EXPECT_THROW(metric->score(right, Many{{"one"}, {}, {"x"}}), Error) << entry.name;
    EXPECT_THROW(metric->score(Texts{"\xFF"}, Many{{"one"}}), Error) << entry.name;
  }
}

}  // namespace
}  // namespace heed
