// A line that is too long for a matrix of its weights keeps links, which are those that the matrix
// would have given.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "heed/engine/answer/align_by_steps.h"
#include "heed/engine/answer/answer.h"
#include "heed/engine/answer/in_words.h"
#include "heed/engine/answer/join_pieces.h"
#include "tests/engine/small_trained_model.h"

namespace heed::long_line_test {
namespace {

using test::small_trained_model;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TranslateOptions with_weights(int64_t max_source) {
  TranslateOptions options;
  options.search.weights = true;
  options.search.length_factor = 1;
  options.search.length_margin = 2;
  options.max_source = max_source;
  return options;
}

/// The links of the joined matrix, and those of joined links.
TEST(LongLine, LinksOfPiecesAreThoseOfTheMatrix) {
  const TrainedModel trained = small_trained_model();
  Translation whole;
  Translation linked;
  for (const char* piece : {"abc", "dcbaab", "日é", "a", "badbad"}) {
    const std::vector<std::string> line = {piece};
    Translation one = translate(trained, line, with_weights(0))[0][0];
    for (size_t t = 0; t < one.weights.size(); ++t) {  // some words look at the end, others do not
      one.weights[t][t % one.source.size()] += 1;
    }
    append(whole, one);
    append(linked, with_links_only(one, trained));
  }
  EXPECT_THAT(linked.weights, IsEmpty());
  for (const bool with_ends : {false, true}) {
    const auto expected = links(in_words(whole, trained), with_ends);
    ASSERT_FALSE(expected.empty());
    EXPECT_EQ(links(in_words(linked, trained), with_ends), expected);
  }
  EXPECT_EQ(in_words(linked, trained).source, in_words(whole, trained).source);
  EXPECT_EQ(in_words(linked, trained).target, in_words(whole, trained).target);
}

/// `align` of a pair with more weights than are kept feeds one word after the other.
TEST(LongLine, ALongPairIsAlignedAsByTheMatrix) {
  const TrainedModel trained = small_trained_model();
  std::string source;
  std::string target;
  for (size_t i = 0; i < 2100; ++i) {
    source += "abcde"[i % 5];
    target += "dcb"[i % 3];
  }
  const Translation whole = align(trained, source.substr(0, 1900), target, {});
  EXPECT_FALSE(whole.word_links);
  const Translation linked = align(trained, source, target, {});
  ASSERT_TRUE(linked.word_links);
  EXPECT_THAT(linked.weights, IsEmpty());
  EXPECT_EQ(linked.word_links->target.size(), target.size() + 1);
  EXPECT_FALSE(linked.word_links->pairs.empty());
  // The same computation on a pair that is short enough for both.
  for (const auto& [x, y] :
       {std::pair<std::string, std::string>("abc", "cba"), {"éabdbad", "dab"}, {"a", "badbad"}}) {
    const Translation expected = align(trained, x, y, {});
    Translation found = expected;
    found.log_probability = 0;
    found.weights.clear();
    const BatchItems items{
        trained.fields, {trained.fields.source->read(x)}, {trained.fields.target->read(y)}};
    align_by_steps(trained, make_batch(items, trained.model->place()), {}, found);
    ASSERT_TRUE(found.word_links);
    EXPECT_EQ(found.word_links->pairs, links(in_words(expected, trained), true)) << x;
    EXPECT_FLOAT_EQ(static_cast<float>(found.log_probability),
                    static_cast<float>(expected.log_probability))
        << x;
  }
}

/// What a row gave to the end of its sentence is in the only end that is left.
TEST(JoinedPieces, EveryRowStillAddsUp) {
  const TrainedModel trained = small_trained_model();
  Translation whole;
  std::vector<float> to_end;
  for (const char* piece : {"abc", "dcbaab", "a"}) {
    const std::vector<std::string> line = {piece};
    const Translation one = translate(trained, line, with_weights(0))[0][0];
    ASSERT_TRUE(one.source_ends);
    if (whole.ended) {
      to_end.pop_back();
    }
    for (const auto& row : one.weights) {
      to_end.push_back(row.back());
    }
    append(whole, one);
  }
  ASSERT_EQ(whole.weights.size(), to_end.size());
  for (size_t t = 0; t < to_end.size(); ++t) {
    const auto& row = whole.weights[t];
    ASSERT_EQ(row.size(), whole.source.size());
    EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1, 1e-5) << t;
    EXPECT_EQ(row.back(), to_end[t]);
  }
  EXPECT_EQ(std::count(whole.source.begin(), whole.source.end(), "</s>"), 1);
}

TEST(LongLine, NeverHasAMatrixOfAllWeights) {
  const TrainedModel trained = small_trained_model();
  std::string text;
  while (text.size() * text.size() <= most_weights) {
    text += "abcdab ";
  }
  const std::vector<std::string> lines = {text, "abc", std::string(text.size(), ' ')};
  const auto found = translate(trained, lines, with_weights(100));
  EXPECT_THAT(found[0][0].weights, IsEmpty());
  ASSERT_TRUE(found[0][0].word_links);
  EXPECT_EQ(found[0][0].word_links->source.size(), in_words(found[0][0], trained).source.size());
  EXPECT_FALSE(links(in_words(found[0][0], trained), true).empty());
  EXPECT_FALSE(found[1][0].weights.empty());
  EXPECT_FALSE(found[1][0].word_links);
  EXPECT_THAT(found[2][0].source, IsEmpty());  // blanks only, too many to be text
}

TEST(LongLine, APairIsNotAlignedWhereItsMatrixWouldFillTheMemory) {
  const TrainedModel trained = small_trained_model();
  const std::string text(10'000, 'a');
  EXPECT_THAT([&] { align(trained, text, text, {}); },
              ::testing::ThrowsMessage<Error>(HasSubstr("align sentence by sentence")));
}

}  // namespace
}  // namespace heed::long_line_test
