// A model without a source goes on from a text and scores texts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heed/engine/answer/answer.h"
#include "heed/engine/answer/scoring.h"
#include "tests/engine/small_language_model.h"

namespace heed::language_model_test {
namespace {

class LanguageModels : public ::testing::TestWithParam<std::string> {};

TEST_P(LanguageModels, GoOnFromTheLine) {
  const TrainedModel trained = test::small_language_model(GetParam());
  AnswerOptions options;
  options.search.max_length = 4;
  const std::vector<std::string> lines = {"", "ab", "", "c"};
  const auto found = answer(trained, lines, options);
  ASSERT_EQ(found.size(), 4U);
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_TRUE(found[i].front().text.starts_with(lines[i])) << i;
    EXPECT_TRUE(found[i].front().looked().columns.empty());
  }
  EXPECT_EQ(found[0].front().text, found[2].front().text);
  // Without a limit of its own, the words of the prefix count as those of a source would.
  options.search.max_length = 1'000'000;
  options.search.max_length_factor = 2;
  options.search.max_length_margin = 3;
  const Reply one = answer(trained, lines, options)[1].front();
  EXPECT_LE(one.ids.size(), 2U * 2 + 3 + (one.ended ? 1 : 0));
}

TEST_P(LanguageModels, GoOnFromWordsThatTheyDoNotKnow) {
  const TrainedModel trained = test::small_language_model(GetParam());
  const std::vector<TokenId> line = trained.fields.target->vocabulary().encode("a?b");
  ASSERT_EQ(std::count(line.begin(), line.end(), TokenId{1}), 1);
  AnswerOptions options;
  options.search.beam = 3;
  options.search.max_length = 6;
  const std::vector<TokenId> found =
      answer(trained, std::vector<std::string>{"a?b"}, options)[0].front().ids;
  ASSERT_GT(found.size(), line.size());
  EXPECT_TRUE(std::equal(line.begin(), line.end(), found.begin()));
  EXPECT_EQ(std::count(found.begin(), found.end(), TokenId{1}), 1) << "it writes none itself";
}

TEST_P(LanguageModels, ScoreWhatTheyFind) {
  const TrainedModel trained = test::small_language_model(GetParam());
  AnswerOptions options;
  options.search.beam = options.search.n_best = 30;
  options.search.max_length = 3;
  size_t compared = 0;
  const auto found = answer(trained, std::vector<std::string>{"a"}, options);
  for (const Reply& one : found[0].best) {
    if (one.ended) {
      const std::vector<PairScore> scores =
          score_pairs(trained, std::vector<Example>{{"", one.text}});
      if (scores[0].tokens == static_cast<int64_t>(one.ids.size())) {  // no unknown token in it
        EXPECT_NEAR(scores[0].log_probability, one.log_probability, 1e-4) << one.text;
        ++compared;
      }
    }
  }
  EXPECT_GE(compared, 3U);
}

/// Σ over all texts p = 1: those of at most two letters, and what goes on from each of two.
TEST_P(LanguageModels, SpreadOneOverAllTexts) {
  const TrainedModel trained = test::small_language_model(GetParam());
  const Vocabulary& vocabulary = trained.fields.target->vocabulary();
  std::vector<Example> texts = {{"", ""}};
  for (TokenId id = 3; id < static_cast<TokenId>(vocabulary.size()); ++id) {
    texts.push_back({"", vocabulary.token(id)});
  }
  const std::vector<PairScore> scores = score_pairs(trained, texts);
  double total = std::exp(scores[0].log_probability);  // the end alone
  for (size_t i = 1; i < scores.size(); ++i) {
    total += std::exp(scores[i].token_log_probability[0]);
  }
  EXPECT_LT(total, 1);  // unknown and start have their share
  EXPECT_GT(total, 0.5);
}

INSTANTIATE_TEST_SUITE_P(Decoders, LanguageModels, ::testing::Values("fixed", "transformer"));

}  // namespace
}  // namespace heed::language_model_test
