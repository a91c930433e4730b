#include "heed/engine/answer/attention_maps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/engine/small_trained_model.h"

namespace heed::attention_maps_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* transformer = R"({"embedding": 8,
  "encoder": {"kind": "transformer", "width": 8, "depth": 2, "self": {"heads": 2}},
  "decoder": {"kind": "transformer", "width": 8, "depth": 3, "self": {"heads": 4}, "cross": {"heads": 2}}})";

TrainedModel model_on(const std::string& backend, const std::string& settings) {
  TrainedModel trained;
  trained.fields = learn_fields(test::letters(), {.source = "characters", .target = "characters"});
  trained.model = std::make_unique<Model>();
  apply(*trained.model, parse_json(settings, "test"));
  Init init(place_on(backend), 3);
  trained.model->build(trained.fields, init);
  return trained;
}

std::string refused(const TrainedModel& trained, AttentionOf of) {
  try {
    attention_maps(trained, "abc", "cba", of);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was refused";
}

/// The kernels of the CPU hand out what the plain loops of the reference compute.
TEST(AttentionMaps, AreThoseOfTheReference) {
  const TrainedModel fast = model_on("cpu", transformer);
  const TrainedModel plain = model_on("reference", transformer);
  for (const AttentionOf of : {AttentionOf::cross, AttentionOf::self, AttentionOf::encoder}) {
    const AttentionMaps one = attention_maps(fast, "abcbad", "dab", of);
    const AttentionMaps two = attention_maps(plain, "abcbad", "dab", of);
    ASSERT_EQ(one.blocks.size(), of == AttentionOf::encoder ? 2U : 3U);
    ASSERT_EQ(one.blocks.size(), two.blocks.size());
    EXPECT_EQ(one.rows, two.rows);
    EXPECT_EQ(one.columns, two.columns);
    for (size_t b = 0; b < one.blocks.size(); ++b) {
      ASSERT_EQ(one.blocks[b].heads.size(), of == AttentionOf::self ? 4U : 2U);
      for (size_t h = 0; h < one.blocks[b].heads.size(); ++h) {
        EXPECT_THAT(one.blocks[b].heads[h],
                    ::testing::Pointwise(::testing::FloatNear(1e-5F), two.blocks[b].heads[h]));
      }
    }
  }
}

/// A vocabulary of another project spells its special tokens in its own way.
TEST(AttentionMaps, SpellTheStartAsTheVocabularyDoes) {
  TrainedModel trained = model_on("cpu", transformer);
  std::string bytes = trained.fields.target->vocabulary().to_bytes();
  const size_t at = bytes.find("\n<s>\n");
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at, 5, "\n<bos>\n");
  trained.fields.target->set_vocabulary(
      std::make_shared<const Vocabulary>(Vocabulary::from_bytes(bytes)));
  EXPECT_EQ(attention_maps(trained, "abc", "cba", AttentionOf::self).columns.front(), "<bos>");
}

TEST(AttentionMaps, RowsAddUpAndADecoderDoesNotLookAhead) {
  const TrainedModel trained = model_on("cpu", transformer);
  const AttentionMaps self = attention_maps(trained, "abc", "cba", AttentionOf::self);
  EXPECT_THAT(self.rows, ElementsAre("c", "b", "a", "</s>"));
  EXPECT_THAT(self.columns, ElementsAre("<s>", "c", "b", "a"));
  EXPECT_THAT(self.map(0, 0).rows, ElementsAre("c", "b", "a", "⏎"));
  EXPECT_THAT(self.map(0, 0).columns, ElementsAre("▷", "c", "b", "a"));
  const AttentionMaps encoder = attention_maps(trained, "abc", "cba", AttentionOf::encoder);
  EXPECT_THAT(encoder.map(0, 0).columns, ElementsAre("a", "b", "c", "⏎"));
  EXPECT_THAT(encoder.rows, ElementsAre("a", "b", "c", "</s>"));
  EXPECT_EQ(encoder.columns, encoder.rows);
  bool looks_ahead = false;
  for (size_t row = 0; row < 4; ++row) {
    double in_self = 0;
    double in_encoder = 0;
    for (size_t column = 0; column < 4; ++column) {
      const float weight = self.blocks[1].heads[3][row * 4 + column];
      EXPECT_TRUE(column <= row || weight == 0) << row << ' ' << column;
      in_self += weight;
      const float both_ways = encoder.blocks[1].heads[1][row * 4 + column];
      in_encoder += both_ways;
      looks_ahead = looks_ahead || (column > row && both_ways > 0);
    }
    EXPECT_NEAR(in_self, 1, 1e-6);
    EXPECT_NEAR(in_encoder, 1, 1e-6);
  }
  EXPECT_TRUE(looks_ahead);  // the encoder may
}

TEST(AttentionMaps, MeansAndPanelsAreOfTheHeads) {
  AttentionMaps maps;
  maps.of = AttentionOf::self;
  maps.rows = {"a"};
  maps.columns = {"x", "y"};
  maps.blocks = {{{{1, 0}, {0.5F, 0.5F}}}, {{{0.25F, 0.75F}, {0, 1}}}};
  EXPECT_THAT(maps.map(0, 1).weights, ElementsAre(0.5F, 0.5F));
  EXPECT_THAT(maps.map(0, -1).weights, ElementsAre(0.75F, 0.25F));
  EXPECT_THAT(maps.map(-1, 0).weights, ElementsAre(0.625F, 0.375F));
  EXPECT_THAT(maps.map(-1, -1).weights, ElementsAre(0.4375F, 0.5625F));
  EXPECT_EQ(maps.map(0, 0).column_axis, "target");
  const Panels all = maps.panels(-1);
  EXPECT_EQ(all.maps.size(), 4U);
  EXPECT_EQ(all.columns, 2U);
  EXPECT_THAT(all.begin_row, ElementsAre(0U, 2U));
  EXPECT_EQ(all.maps[2].title, "block 1, head 0");
  EXPECT_THAT(maps.panels(1).maps[1].weights, ElementsAre(0, 1));
  EXPECT_THROW(maps.map(2, 0), Error);
  EXPECT_THROW(maps.map(0, 2), Error);
  EXPECT_THROW(maps.panels(2), Error);
}

TEST(AttentionMaps, EntropyAndStrongestByHand) {
  EXPECT_NEAR(entropy(std::vector<float>{0.25F, 0.25F, 0.25F, 0.25F}), std::log(4), 1e-12);
  EXPECT_NEAR(entropy(std::vector<float>{0.5F, 0, 0.5F}), std::log(2), 1e-12);
  EXPECT_EQ(entropy(std::vector<float>{0, 1}), 0);
  EXPECT_THAT(strongest(std::vector<float>{0.1F, 0.4F, 0, 0.4F, 0.1F}, 3), ElementsAre(1, 3, 0));
  EXPECT_THAT(strongest(std::vector<float>{0, 1}, 5), ElementsAre(1));
  EXPECT_TRUE(strongest({}, 2).empty());
}

TEST(AttentionMaps, WhatThereIsNot) {
  const TrainedModel recurrent = test::small_trained_model();
  EXPECT_EQ(attention_maps(recurrent, "abc", "cba", AttentionOf::cross).blocks.size(), 1U);
  EXPECT_NO_THROW(check_attends(recurrent, {.block = 0, .head = 0}));
  EXPECT_THROW(check_attends(recurrent, {.block = 1}), Error);
  EXPECT_THROW(check_attends(recurrent, {.head = 1}), Error);
  EXPECT_THROW(check_attends(recurrent, {.of = AttentionOf::encoder}), Error);
  EXPECT_THAT(refused(recurrent, AttentionOf::self),
              HasSubstr("the decoder attend_first has no self-attention; use another model or "
                        "another `attention`"));
  EXPECT_THAT(
      refused(recurrent, AttentionOf::encoder),
      HasSubstr("the encoder gru has no self-attention; use another model or another `attention`"));
}

}  // namespace
}  // namespace heed::attention_maps_test
