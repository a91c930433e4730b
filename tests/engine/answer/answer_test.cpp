#include "heed/engine/answer/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/engine/small_trained_model.h"

namespace heed::answer_test {
namespace {

using test::small_trained_model;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double close_enough = 1e-4;  // sums of a few dozen float32 logarithms

TranslateOptions wide(int64_t beam, int64_t n_best, int64_t batch = 64) {
  TranslateOptions options;
  options.search.beam = beam;
  options.search.n_best = n_best;
  options.search.weights = true;
  options.search.length_factor = 1;
  options.search.length_margin = 3;
  options.batch = batch;
  return options;
}

TEST(Translate, GivesAnEmptyTextForAnEmptyLine) {
  const TrainedModel trained = small_trained_model();
  const std::vector<std::string> lines = {"", "abc", "", "bad"};
  const auto found = translate(trained, lines, wide(1, 1));
  ASSERT_EQ(found.size(), 4U);
  for (const size_t empty : {0U, 2U}) {
    ASSERT_EQ(found[empty].size(), 1U);
    EXPECT_EQ(found[empty][0].text, "");
    EXPECT_THAT(found[empty][0].source, IsEmpty());
    EXPECT_THAT(found[empty][0].weights, IsEmpty());
  }
  EXPECT_THAT(found[1][0].source, ElementsAre("a", "b", "c", "</s>"));
  EXPECT_THAT(found[3][0].source, ElementsAre("b", "a", "d", "</s>"));
  EXPECT_THAT(translate(trained, std::vector<std::string>(), wide(1, 1)), IsEmpty());
}

TEST(Translate, GivesTheSameWhateverTheBatch) {
  const TrainedModel trained = small_trained_model();
  const std::vector<std::string> lines = {"a", "dcbaabcd", "日é", "", "bad", "abcabc"};
  const auto together = translate_lines(trained, lines, wide(3, 1));
  EXPECT_EQ(translate_lines(trained, lines, wide(3, 1, 1)), together);
  EXPECT_EQ(translate_lines(trained, lines, wide(3, 1, 2)), together);
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(translate_lines(trained, std::vector{lines[i]}, wide(3, 1))[0], together[i]);
  }
}

/// Sources with more tokens than a location score has slots, or than there are learned positions,
/// are cut: every line is translated, and the other lines do not change.
TEST(Translate, CutsWhatIsTooLongForTheModelLineByLine) {
  struct Case {
    std::string settings;
    size_t length;
  };
  const std::string learned = R"("kind": "transformer", "width": 8, "position": "learned")";
  for (const Case& c : {
           Case{R"({"decoder": {"attention": {"score": {"kind": "location", "slots": 6}}}})", 16},
           Case{"{\"encoder\": {" + learned + "}}", 1100},
       }) {
    const TrainedModel trained = small_trained_model(c.settings);
    std::string longer;
    for (size_t i = 0; i < c.length; ++i) {
      longer += "abcd"[i % 4];
    }
    TranslateOptions options = wide(1, 1);
    options.search.length_factor = 3;
    const auto texts = translate_lines(trained, std::vector<std::string>{"ab", longer}, options);
    ASSERT_EQ(texts.size(), 2U);
    EXPECT_EQ(texts[0], translate_lines(trained, std::vector<std::string>{"ab"}, options)[0]);
  }
  const TrainedModel writes = small_trained_model("{\"decoder\": {" + learned + "}}");
  EXPECT_EQ(writes.model->decoder().longest_target(), 1024);
}

TEST(Translate, OrdersTheBest) {
  const TrainedModel trained = small_trained_model();
  const auto best = translate(trained, std::vector<std::string>{"abc"}, wide(4, 3))[0];
  ASSERT_EQ(best.size(), 3U);
  EXPECT_GE(best[0].score, best[1].score);
  EXPECT_GE(best[1].score, best[2].score);
  EXPECT_NE(best[0].target, best[1].target);
  EXPECT_NE(best[1].target, best[2].target);
}

void expect_same_weights(const Translation& one, const Translation& other) {
  ASSERT_EQ(one.weights.size(), one.target.size());
  ASSERT_EQ(other.weights.size(), one.target.size());
  for (size_t t = 0; t < one.weights.size(); ++t) {
    const auto& row = one.weights[t];
    ASSERT_EQ(row.size(), one.source.size());
    ASSERT_EQ(other.weights[t].size(), row.size());
    EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1, close_enough);
    for (size_t s = 0; s < row.size(); ++s) {
      EXPECT_NEAR(row[s], other.weights[t][s], close_enough);
    }
  }
}

/// Only a text that ended, and of known words, can be forced again.
bool can_be_forced(const Translation& said) {
  const auto& ids = said.ids;
  return ids.size() > 1 && said.ended && std::none_of(ids.begin(), ids.end() - 1, [](TokenId id) {
           return SpecialTokens().contains(id);
         });
}

/// The log-probability that a search finds step by step equals that of forced decoding, which sees
/// all words at once.
TEST(Align, AgreesWithTheSearch) {
  for (const char* more :
       {"{}", R"({"decoder": {"kind": "attend_after"}})",
        R"({"decoder": {"kind": "attend_after", "attention": {"normaliser": "sparsemax"}}})",
        R"({"decoder": {"kind": "transformer", "width": 8, "depth": 2, "cross": {"heads": 2}}})"}) {
    SCOPED_TRACE(more);
    const TrainedModel trained = small_trained_model(more);
    size_t compared = 0;
    for (const std::string line : {"abc", "日da", "d"}) {
      const auto found = translate(trained, std::vector{line}, wide(40, 40));
      for (const Translation& said : found.front()) {
        if (!can_be_forced(said)) {
          continue;
        }
        ++compared;
        const Translation forced = align(trained, line, said.text, {});
        EXPECT_EQ(forced.text, said.text);
        EXPECT_EQ(forced.source, said.source);
        EXPECT_EQ(forced.target, said.target);
        EXPECT_NEAR(forced.log_probability, said.log_probability, close_enough);
        expect_same_weights(forced, said);
      }
    }
    EXPECT_GT(compared, 0U);
  }
}

TEST(Align, ShowsWhatWasWrittenKnownOrNot) {
  const TrainedModel trained = small_trained_model();
  const Translation seen = align(trained, "a☃", "☃b", {});
  EXPECT_THAT(seen.source, ElementsAre("a", "☃", "</s>"));
  EXPECT_THAT(seen.target, ElementsAre("☃", "b", "</s>"));
}

TEST(Align, ScoresByTheMeanOverTokensAndEnd) {
  const TrainedModel trained = small_trained_model();
  const Translation seen = align(trained, "abc", "cba", {});
  EXPECT_LT(seen.log_probability, 0);
  EXPECT_NEAR(seen.score, seen.log_probability / 4, 1e-9);
}

TEST(Align, HasNothingToSayOfAnEmptySide) {
  const TrainedModel trained = small_trained_model();
  for (const Translation& seen : {align(trained, "", "cba", {}), align(trained, "abc", "", {})}) {
    EXPECT_THAT(seen.weights, IsEmpty());
    EXPECT_EQ(hard_alignment(seen, true), "");
    EXPECT_EQ(soft_alignment(seen), "");
    EXPECT_EQ(heat_map(seen, true).weights.size(), 0U);
  }
}

TEST(Align, RefusesADecoderThatDoesNotAttend) {
  const TrainedModel trained = small_trained_model(R"({"decoder": {"kind": "fixed"}})");
  try {
    align(trained, "abc", "cba", {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("has no attention"));
    EXPECT_EQ(error.fault(), Fault::usage);
  }
  EXPECT_THAT(translate(trained, std::vector<std::string>{"abc"}, wide(1, 1))[0][0].weights,
              IsEmpty());
}

TEST(Align, ChoosesAHead) {
  const TrainedModel trained = small_trained_model(
      R"({"decoder": {"kind": "transformer", "width": 8, "depth": 2, "cross": {"heads": 2}}})");
  const auto first = align(trained, "abc", "cba", {.head = 0}).weights;
  const auto second = align(trained, "abc", "cba", {.head = 1}).weights;
  const auto mean = align(trained, "abc", "cba", {.block = 0, .head = -1}).weights;
  EXPECT_NE(first, second);
  const auto one_block = align(trained, "abc", "cba", {.block = 0, .head = 0}).weights;
  const auto other = align(trained, "abc", "cba", {.block = 0, .head = 1}).weights;
  for (size_t t = 0; t < mean.size(); ++t) {
    for (size_t s = 0; s < mean[t].size(); ++s) {
      EXPECT_NEAR(mean[t][s], (one_block[t][s] + other[t][s]) / 2, close_enough);
    }
  }
  for (const AlignOptions& wrong : {AlignOptions{.block = 99}, AlignOptions{.head = 2}}) {
    try {
      align(trained, "abc", "cba", wrong);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::usage);
    }
  }
}

Translation by_hand() {
  Translation seen;
  seen.source = {"le", "chat", "</s>"};
  seen.target = {"cat", "the", "</s>"};
  seen.source_ends = seen.ended = true;
  seen.weights = {{0.25F, 0.5F, 0.25F}, {0.75F, 0.125F, 0.125F}, {0, 0.5F, 0.5F}};
  return seen;
}

TEST(HeatMap, LeavesOutTheEndsUnlessAsked) {
  const HeatMap bare = heat_map(by_hand(), false);
  EXPECT_THAT(bare.rows, ElementsAre("cat", "the"));
  EXPECT_THAT(bare.columns, ElementsAre("le", "chat"));
  EXPECT_THAT(bare.weights, ElementsAre(0.25F, 0.5F, 0.75F, 0.125F));
  const HeatMap whole = heat_map(by_hand(), true);
  EXPECT_THAT(whole.rows, ElementsAre("cat", "the", "</s>"));
  EXPECT_EQ(whole.weights.size(), 9U);
  EXPECT_EQ(whole.at(2, 1), 0.5F);
}

TEST(HeatMap, KeepsTheLastWordOfATextThatWasCut) {
  Translation cut = by_hand();
  cut.target = {"cat", "the", "the"};
  cut.ended = false;
  EXPECT_THAT(heat_map(cut, false).rows, ElementsAre("cat", "the", "the"));
}

TEST(Alignment, IsWrittenAsPeersWriteIt) {
  // Row 0 looks at slot 1, row 1 at slot 0, row 2 at slot 1, the first of two equals.
  EXPECT_EQ(hard_alignment(by_hand(), true), "0-1 1-0 1-2");
  EXPECT_EQ(soft_alignment(by_hand()), "0.25,0.5,0.25 0.75,0.125,0.125 0,0.5,0.5");
  EXPECT_EQ(hard_alignment({}, false), "");
}

TEST(Alignment, LinksNoEndUnlessAskedAndNothingThatLookedNowhere) {
  EXPECT_EQ(hard_alignment(by_hand(), false), "0-1 1-0");
  Translation seen = by_hand();
  seen.weights[0] = {0, 0, 0};
  EXPECT_EQ(hard_alignment(seen, true), "0-1 1-2") << "a row of zeros looks nowhere, not at word 0";
  seen.weights[1] = {0.1F, 0.1F, 0.8F};
  EXPECT_EQ(hard_alignment(seen, false), "") << "a word that looks at the end has no link";
  EXPECT_EQ(hard_alignment(seen, true), "1-2 2-1");
}

}  // namespace
}  // namespace heed::answer_test
