#include "heed/engine/answer/head_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sndfile.h>

#include <cmath>

#include "heed/engine/answer/answer.h"
#include "tests/api/model_of_files.h"
#include "tests/engine/small_trained_model.h"
#include "tests/media/made_pictures.h"
#include "tests/media/sound_bytes.h"

namespace heed::head_figures_test {
namespace {

using ::testing::ElementsAre;

using Map = std::vector<float>;

TEST(HeadFigures, OfTheDiagonal) {
  const HeadFigures own = figures_of(Map{1, 0, 0, 0, 1, 0, 0, 0, 1}, 3, true);
  EXPECT_EQ(own.entropy, 0);
  EXPECT_EQ(own.distance, 0);
  EXPECT_EQ(own.diagonality, 1);
}

/// Row 0: |j − 0| = 0 1 2, so 0.5 · 0 + 0.5 · 2 = 1 of at most 2. Row 1: |j − 1| = 1 0 1, so 0.25 of 1.
/// Row 2: |j − 2| = 2 1 0, so 2 of 2.
TEST(HeadFigures, ByHand) {
  const HeadFigures own = figures_of(Map{0.5, 0, 0.5, 0.25, 0.75, 0, 1, 0, 0}, 3, true);
  const double quarter = -0.25 * std::log(0.25) - 0.75 * std::log(0.75);
  EXPECT_NEAR(own.entropy, (std::log(2) + quarter) / 3, 1e-7);
  EXPECT_NEAR(own.distance.value(), (1 + 0.25 + 2) / 3, 1e-12);
  EXPECT_NEAR(own.diagonality.value(), (0.5 + 0.75 + 0) / 3, 1e-12);
}

/// Two rows over four slots: the diagonal is at ½ and 2½.
TEST(HeadFigures, OfUnequalSides) {
  const HeadFigures own = figures_of(Map{0, 1, 0, 0, 0, 0, 0, 1}, 4, true);
  EXPECT_NEAR(own.distance.value(), 0.5, 1e-12);
  EXPECT_NEAR(own.diagonality.value(), 1 - 0.5 / 2.5, 1e-12);
}

/// Half of each weight is the same row; a row of zeros is none; one column is a diagonal.
TEST(HeadFigures, CountRowsAsIfTheyAddedUp) {
  const HeadFigures half = figures_of(Map{0.25, 0.25, 0, 0}, 2, true);
  EXPECT_NEAR(half.entropy, std::log(2), 1e-7);
  EXPECT_NEAR(half.distance.value(), 0.5, 1e-12);
  EXPECT_EQ(figures_of(Map{1, 1}, 1, true).diagonality, 1);
  EXPECT_FALSE(figures_of(Map{0, 0}, 2, true).distance);
  EXPECT_FALSE(figures_of(Map{1, 0}, 2, false).distance) << "the cells of a picture";
}

TEST(Thumbnails, AreMeansOfTheirCells) {
  const Thumbnail small = thumbnail_of(Map{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, 3, 2);
  EXPECT_EQ(small.rows, 2U);
  EXPECT_EQ(small.columns, 2U);
  EXPECT_THAT(small.weights, ElementsAre(2.5F, 4.0F, 8.5F, 10.0F));
  const Thumbnail same = thumbnail_of(Map{1, 2, 3, 4}, 2, 48);
  EXPECT_THAT(same.weights, ElementsAre(1, 2, 3, 4));
}

TEST(Thumbnails, AreOfBoundedSize) {
  AttentionMaps maps;
  maps.rows.resize(500);
  maps.columns.resize(700);
  maps.blocks = {{{Map(500 * 700, 1.0F / 700)}}};
  const Json large = written_heads(maps);
  const Json& head = large.get<Json::Object>()->back().value;
  EXPECT_LT(head.write().size(), 48U * 48U * 24U + 200U);
  EXPECT_EQ(thumbnail_of(maps.blocks[0].heads[0], 700).weights.size(), 48U * 48U);
}

/// What was drawn at random is drawn as it is: "ab" in one token may be two for the tokeniser.
TEST(MapsOfIds, AreOfTheWordsThatWereFound) {
  const TrainedModel trained = test::small_trained_model();
  const Vocabulary& words = trained.fields.target->vocabulary();
  const std::vector<TokenId> ids = words.encode("cba");
  const AttentionMaps of_text = attention_maps(trained, "abc", "cba", AttentionOf::cross);
  const AttentionMaps of_ids = attention_maps(trained, "abc", ids, AttentionOf::cross);
  EXPECT_EQ(of_ids.rows, of_text.rows);
  EXPECT_EQ(of_ids.blocks[0].heads, of_text.blocks[0].heads);
  std::vector<TokenId> ended = ids;
  ended.push_back(words.specials().end());
  EXPECT_EQ(attention_maps(trained, "abc", ended, AttentionOf::cross).rows, of_text.rows);
  ended.push_back(ids[0]);
  EXPECT_THROW(attention_maps(trained, "abc", ended, AttentionOf::cross), Error);
  const std::vector<TokenId> beyond = {static_cast<TokenId>(words.size())};
  EXPECT_THROW(attention_maps(trained, "abc", beyond, AttentionOf::cross), Error);
  const std::vector<TokenId> unknown = {words.specials().unknown(), ids[0]};
  EXPECT_THAT(attention_maps(trained, "abc", unknown, AttentionOf::cross).rows,
              ElementsAre("<unk>", "c", "</s>"));
}

/// Where the words that were drawn looked, from bytes of every kind of source.
TEST(MapsOfIds, AreWhatTheSearchSaw) {
  const test::Bytes wav =
      test::encoded(test::sine(440, 8000, 0.5), SF_FORMAT_WAV | SF_FORMAT_PCM_16);
  struct Kind {
    const char* name;
    TrainedModel trained;
    std::string bytes;
  };
  std::vector<Kind> kinds;
  kinds.push_back({"text", test::small_trained_model(), "abc"});
  kinds.push_back(
      {"sound", test::hearing_model(), {reinterpret_cast<const char*>(wav.data()), wav.size()}});
  kinds.push_back({"picture", test::seeing_model(), test::png_file(test::sloping(40, 30))});
  for (const Kind& kind : kinds) {
    SCOPED_TRACE(kind.name);
    const Source source = Source::of_bytes(kind.bytes);
    AnswerOptions how;
    how.search.strategy = "sample";
    how.search.max_length = 6;
    how.search.weights = true;
    const TrainedModel* const models[] = {&kind.trained};
    const Reply drawn = answer(models, {&source, 1}, how).front().front();
    const AttentionMaps maps = attention_maps(kind.trained, source, drawn.ids, AttentionOf::cross);
    const WeightMatrix& seen = drawn.looked().weights;
    ASSERT_GE(maps.rows.size(), seen.rows());
    ASSERT_EQ(maps.columns.size(), seen.columns);
    for (size_t i = 0; i < seen.values.size(); ++i) {
      EXPECT_NEAR(maps.blocks.at(0).heads.at(0)[i], seen.values[i], 1e-5);
    }
    const HeadFigures own =
        figures_of(maps.blocks[0].heads[0], maps.columns.size(), maps.grid.height == 0);
    EXPECT_EQ(own.distance.has_value(), std::string("picture") != kind.name);
  }
}

}  // namespace
}  // namespace heed::head_figures_test
