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
#include "tests/engine/matrix_of.h"
#include "tests/engine/small_trained_model.h"

namespace heed::long_line_test {
namespace {

using test::small_trained_model;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

AnswerOptions with_weights(int64_t max_source) {
  AnswerOptions options;
  options.search.weights = true;
  options.search.max_length_factor = 1;
  options.search.max_length_margin = 2;
  options.max_source = max_source;
  return options;
}

/// The links of the joined matrix, and those of joined links.
TEST(LongLine, LinksOfPiecesAreThoseOfTheMatrix) {
  const TrainedModel trained = small_trained_model();
  Reply whole;
  Reply linked;
  for (const char* piece : {"abc", "dcbaab", "日é", "a", "badbad"}) {
    const std::vector<std::string> line = {piece};
    Reply one = answer(trained, line, with_weights(0))[0].front();
    WeightMatrix& weights = one.seen->weights;
    for (size_t t = 0; t < weights.rows(); ++t) {  // some words look at the end, others do not
      weights.row(t)[t % weights.columns] += 1;
    }
    append(whole, one);
    one.seen = with_links_only(one, trained);
    append(linked, one);
  }
  EXPECT_TRUE(linked.looked().weights.empty());
  for (const bool with_ends : {false, true}) {
    const auto expected = links(in_words(whole, trained), with_ends);
    ASSERT_FALSE(expected.empty());
    EXPECT_EQ(links(in_words(linked, trained), with_ends), expected);
  }
  EXPECT_EQ(in_words(linked, trained).columns, in_words(whole, trained).columns);
  EXPECT_EQ(in_words(linked, trained).rows, in_words(whole, trained).rows);
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
  const Seen whole = align(trained, source.substr(0, 1900), target, {}).looked();
  EXPECT_FALSE(whole.links);
  const Seen linked = align(trained, source, target, {}).looked();
  ASSERT_TRUE(linked.links);
  EXPECT_TRUE(linked.weights.empty());
  EXPECT_EQ(linked.links->target.size(), target.size() + 1);
  EXPECT_FALSE(linked.links->pairs.empty());
  // The same computation on a pair that is short enough for both.
  for (const auto& [x, y] :
       {std::pair<std::string, std::string>("abc", "cba"), {"éabdbad", "dab"}, {"a", "badbad"}}) {
    const Reply expected = align(trained, x, y, {});
    Reply found = expected;
    found.log_probability = 0;
    found.seen->weights = {};
    const BatchItems items{
        trained.fields, {trained.fields.source->read(x)}, {trained.fields.target->read(y)}};
    align_by_steps(trained, make_batch(items, trained.model->place()), {}, found);
    ASSERT_TRUE(found.looked().links);
    EXPECT_EQ(found.looked().links->pairs, links(in_words(expected, trained), true)) << x;
    EXPECT_FLOAT_EQ(static_cast<float>(found.log_probability),
                    static_cast<float>(expected.log_probability))
        << x;
  }
}

/// What a row gave to the end of its sentence is in the only end that is left.
TEST(JoinedPieces, EveryRowStillAddsUp) {
  const TrainedModel trained = small_trained_model();
  Reply whole;
  std::vector<float> to_end;
  for (const char* piece : {"abc", "dcbaab", "a"}) {
    const std::vector<std::string> line = {piece};
    const Reply one = answer(trained, line, with_weights(0))[0].front();
    ASSERT_TRUE(one.looked().columns_end);
    if (whole.ended) {
      to_end.pop_back();
    }
    for (const auto& row : test::rows_of(one.looked().weights)) {
      to_end.push_back(row.back());
    }
    append(whole, one);
  }
  const auto rows = test::rows_of(whole.looked().weights);
  ASSERT_EQ(rows.size(), to_end.size());
  for (size_t t = 0; t < to_end.size(); ++t) {
    const auto& row = rows[t];
    ASSERT_EQ(row.size(), whole.looked().columns.size());
    EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1, 1e-5) << t;
    EXPECT_EQ(row.back(), to_end[t]);
  }
  EXPECT_EQ(std::count(whole.looked().columns.begin(), whole.looked().columns.end(), "</s>"), 1);
}

TEST(LongLine, NeverHasAMatrixOfAllWeights) {
  const TrainedModel trained = small_trained_model();
  std::string text;
  while (text.size() * text.size() <= most_weights) {
    text += "abcdab ";
  }
  const std::vector<std::string> lines = {text, "abc", std::string(text.size(), ' ')};
  const auto found = answer(trained, lines, with_weights(100));
  const Seen& seen = found[0].front().looked();
  EXPECT_TRUE(seen.weights.empty());
  ASSERT_TRUE(seen.links);
  EXPECT_EQ(seen.links->source.size(), in_words(found[0].front(), trained).columns.size());
  EXPECT_FALSE(links(in_words(found[0].front(), trained), true).empty());
  EXPECT_FALSE(found[1].front().looked().weights.empty());
  EXPECT_FALSE(found[1].front().looked().links);
  EXPECT_THAT(found[2].front().looked().columns, IsEmpty());  // blanks only, too many to be text
}

TEST(LongLine, APairIsNotAlignedWhereItsMatrixWouldFillTheMemory) {
  const TrainedModel trained = small_trained_model();
  const std::string text(10'000, 'a');
  EXPECT_THAT([&] { align(trained, text, text, {}); },
              ::testing::ThrowsMessage<Error>(HasSubstr("align sentence by sentence")));
}

}  // namespace
}  // namespace heed::long_line_test
