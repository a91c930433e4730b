#include "heed/engine/answer/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/engine/matrix_of.h"
#include "tests/engine/small_trained_model.h"

namespace heed::answer_test {
namespace {

using test::small_trained_model;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double close_enough = 1e-4;  // sums of a few dozen float32 logarithms

AnswerOptions wide(int64_t beam, int64_t n_best, int64_t batch = 64) {
  AnswerOptions options;
  options.search.beam = beam;
  options.search.n_best = n_best;
  options.search.weights = true;
  options.search.max_length_factor = 1;
  options.search.max_length_margin = 3;
  options.batch = batch;
  return options;
}

TEST(Translate, GivesAnEmptyTextForAnEmptyLine) {
  const TrainedModel trained = small_trained_model();
  const std::vector<std::string> lines = {"", "abc", "", "bad"};
  const auto found = answer(trained, lines, wide(1, 1));
  ASSERT_EQ(found.size(), 4U);
  for (const size_t empty : {0U, 2U}) {
    ASSERT_EQ(found[empty].best.size(), 1U);
    EXPECT_EQ(found[empty].front().text, "");
    EXPECT_THAT(found[empty].front().looked().columns, IsEmpty());
    EXPECT_TRUE(found[empty].front().looked().weights.empty());
  }
  EXPECT_THAT(found[1].front().looked().columns, ElementsAre("a", "b", "c", "</s>"));
  EXPECT_THAT(found[3].front().looked().columns, ElementsAre("b", "a", "d", "</s>"));
  EXPECT_THAT(answer(trained, std::vector<std::string>(), wide(1, 1)), IsEmpty());
}

TEST(Translate, GivesTheSameWhateverTheBatch) {
  const TrainedModel trained = small_trained_model();
  const std::vector<std::string> lines = {"a", "dcbaabcd", "日é", "", "bad", "abcabc"};
  const auto together = answer_texts(trained, lines, wide(3, 1));
  EXPECT_EQ(answer_texts(trained, lines, wide(3, 1, 1)), together);
  EXPECT_EQ(answer_texts(trained, lines, wide(3, 1, 2)), together);
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(answer_texts(trained, std::vector{lines[i]}, wide(3, 1))[0], together[i]);
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
    AnswerOptions options = wide(1, 1);
    options.search.max_length_factor = 3;
    const auto texts = answer_texts(trained, std::vector<std::string>{"ab", longer}, options);
    ASSERT_EQ(texts.size(), 2U);
    EXPECT_EQ(texts[0], answer_texts(trained, std::vector<std::string>{"ab"}, options)[0]);
  }
  const TrainedModel writes = small_trained_model("{\"decoder\": {" + learned + "}}");
  EXPECT_EQ(writes.model->decoder().longest_target(), 1024);
}

TEST(Translate, OrdersTheBest) {
  const TrainedModel trained = small_trained_model();
  const auto best = answer(trained, std::vector<std::string>{"abc"}, wide(4, 3))[0].best;
  ASSERT_EQ(best.size(), 3U);
  EXPECT_GE(best[0].score, best[1].score);
  EXPECT_GE(best[1].score, best[2].score);
  EXPECT_NE(best[0].ids, best[1].ids);
  EXPECT_NE(best[1].ids, best[2].ids);
}

void expect_same_weights(const Seen& one, const Seen& other) {
  ASSERT_EQ(one.weights.rows(), one.rows.size());
  ASSERT_EQ(other.weights.rows(), one.rows.size());
  for (size_t t = 0; t < one.weights.rows(); ++t) {
    const auto row = one.weights.row(t);
    ASSERT_EQ(row.size(), one.columns.size());
    ASSERT_EQ(other.weights.columns, row.size());
    EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1, close_enough);
    for (size_t s = 0; s < row.size(); ++s) {
      EXPECT_NEAR(row[s], other.weights.at(t, s), close_enough);
    }
  }
}

/// Only a text that ended, and of known words, can be forced again.
bool can_be_forced(const Reply& said) {
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
      const auto found = answer(trained, std::vector{line}, wide(40, 40));
      for (const Reply& said : found.front().best) {
        if (!can_be_forced(said)) {
          continue;
        }
        ++compared;
        const Reply forced = align(trained, line, said.text, {});
        EXPECT_EQ(forced.text, said.text);
        EXPECT_EQ(forced.looked().columns, said.looked().columns);
        EXPECT_EQ(forced.looked().rows, said.looked().rows);
        EXPECT_NEAR(forced.log_probability, said.log_probability, close_enough);
        expect_same_weights(forced.looked(), said.looked());
      }
    }
    EXPECT_GT(compared, 0U);
  }
}

TEST(Align, ShowsWhatWasWrittenKnownOrNot) {
  const TrainedModel trained = small_trained_model();
  const Seen seen = align(trained, "a☃", "☃b", {}).looked();
  EXPECT_THAT(seen.columns, ElementsAre("a", "☃", "</s>"));
  EXPECT_THAT(seen.rows, ElementsAre("☃", "b", "</s>"));
}

TEST(Align, ScoresByTheMeanOverTokensAndEnd) {
  const TrainedModel trained = small_trained_model();
  const Reply seen = align(trained, "abc", "cba", {});
  EXPECT_LT(seen.log_probability, 0);
  EXPECT_NEAR(seen.score, seen.log_probability / 4, 1e-9);
}

TEST(Align, HasNothingToSayOfAnEmptySide) {
  const TrainedModel trained = small_trained_model();
  for (const Reply& aligned : {align(trained, "", "cba", {}), align(trained, "abc", "", {})}) {
    const Seen& seen = aligned.looked();
    EXPECT_TRUE(seen.weights.empty());
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
  EXPECT_TRUE(answer(trained, std::vector<std::string>{"abc"}, wide(1, 1))[0]
                  .front()
                  .looked()
                  .weights.empty());
}

TEST(Align, ChoosesAHead) {
  const TrainedModel trained = small_trained_model(
      R"({"decoder": {"kind": "transformer", "width": 8, "depth": 2, "cross": {"heads": 2}}})");
  const auto first = test::rows_of(align(trained, "abc", "cba", {.head = 0}).looked().weights);
  const auto second = test::rows_of(align(trained, "abc", "cba", {.head = 1}).looked().weights);
  const auto mean =
      test::rows_of(align(trained, "abc", "cba", {.block = 0, .head = -1}).looked().weights);
  EXPECT_NE(first, second);
  const auto one_block =
      test::rows_of(align(trained, "abc", "cba", {.block = 0, .head = 0}).looked().weights);
  const auto other =
      test::rows_of(align(trained, "abc", "cba", {.block = 0, .head = 1}).looked().weights);
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

Seen by_hand() {
  Seen seen;
  seen.columns = {"le", "chat", "</s>"};
  seen.rows = {"cat", "the", "</s>"};
  seen.columns_end = seen.rows_end = true;
  seen.weights = test::matrix_of({{0.25F, 0.5F, 0.25F}, {0.75F, 0.125F, 0.125F}, {0, 0.5F, 0.5F}});
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
  Seen cut = by_hand();
  cut.rows = {"cat", "the", "the"};
  cut.rows_end = false;
  EXPECT_THAT(heat_map(cut, false).rows, ElementsAre("cat", "the", "the"));
}

TEST(Alignment, IsWrittenAsPeersWriteIt) {
  // Row 0 looks at slot 1, row 1 at slot 0, row 2 at slot 1, the first of two equals.
  EXPECT_EQ(hard_alignment(by_hand(), true), "0-1 1-0 1-2");
  EXPECT_EQ(soft_alignment(by_hand()), "0.25,0.5,0.25 0.75,0.125,0.125 0,0.5,0.5");
  EXPECT_EQ(hard_alignment(Seen(), false), "");
}

TEST(Alignment, LinksNoEndUnlessAskedAndNothingThatLookedNowhere) {
  EXPECT_EQ(hard_alignment(by_hand(), false), "0-1 1-0");
  Seen seen = by_hand();
  seen.weights = test::matrix_of({{0, 0, 0}, {0.75F, 0.125F, 0.125F}, {0, 0.5F, 0.5F}});
  EXPECT_EQ(hard_alignment(seen, true), "0-1 1-2") << "a row of zeros looks nowhere, not at word 0";
  seen.weights = test::matrix_of({{0, 0, 0}, {0.1F, 0.1F, 0.8F}, {0, 0.5F, 0.5F}});
  EXPECT_EQ(hard_alignment(seen, false), "") << "a word that looks at the end has no link";
  EXPECT_EQ(hard_alignment(seen, true), "1-2 2-1");
}

}  // namespace
}  // namespace heed::answer_test
