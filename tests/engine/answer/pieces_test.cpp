#include "heed/engine/answer/pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/data/fields.h"
#include "heed/engine/answer/answer.h"
#include "heed/text/tokenisers.h"
#include "tests/engine/small_trained_model.h"

namespace heed::pieces_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Characters, counting how often a text is split.
class Counted : public Tokeniser {
 public:
  std::string_view name() const override { return letters_->name(); }
  std::vector<std::string> split(std::string_view text) const override {
    ++splits;
    return letters_->split(text);
  }
  std::string join(std::span<const std::string> tokens) const override {
    return letters_->join(tokens);
  }
  bool yields(std::string_view token) const override { return letters_->yields(token); }

  mutable int splits = 0;

 private:
  std::unique_ptr<Tokeniser> letters_ = characters();
};

struct Letters {
  std::shared_ptr<Counted> tokeniser = std::make_shared<Counted>();
  std::shared_ptr<Field> field = FieldChoice().made().source;
  Letters() {
    field->set_vocabulary(
        std::make_shared<const Vocabulary>(tokeniser, std::vector<std::string>{"a", "b", " "}));
  }
};

std::vector<PieceText> cut(const std::string& line, int64_t most) {
  return pieces_of(line, *Letters().field, {false, most, 7});
}

std::string joined(const std::vector<PieceText>& pieces) {
  std::string text;
  for (const PieceText& piece : pieces) {
    text += piece.text + piece.gap;
  }
  return text;
}

TEST(Pieces, ALineThatFitsStaysAsItIs) {
  const auto pieces = cut("  a b ", 6);
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_EQ(pieces[0].text, "  a b ");
  EXPECT_THAT(pieces[0].warning, IsEmpty());
}

/// However long a run of blanks is, and wherever it is, no piece is longer than allowed and nothing
/// of the line is lost.
TEST(Pieces, ARunOfBlanksIsCut) {
  const std::string run(5000, ' ');
  for (const std::string& line : {run, run + "x", "x" + run, "ab" + run + "cd", run + "a b" + run,
                                  "a\u3000" + run + "\t" + run + "b. " + run + "c"}) {
    const auto pieces = cut(line, 4);
    EXPECT_EQ(joined(pieces), line);
    for (const PieceText& piece : pieces) {
      EXPECT_LE(characters()->split(piece.text).size(), 4U);
    }
  }
}

TEST(Pieces, OnlyPartsWithTextAreCounted) {
  EXPECT_THAT(cut(std::string(100, ' ') + "x", 4)[0].warning, IsEmpty());
  EXPECT_THAT(cut("abcd" + std::string(100, ' ') + "x", 4)[0].warning,
              HasSubstr("line 7: a sentence has more than 4 tokens; it is translated in 2 parts"));
}

TEST(Pieces, TextWithoutBlanksIsCutBetweenCharacters) {
  const std::string line(1000, 'a');
  const auto pieces = cut(line, 16);
  EXPECT_EQ(joined(pieces), line);
  EXPECT_GE(pieces.size(), 63U);
  for (const PieceText& piece : pieces) {
    EXPECT_LE(piece.text.size(), 16U);
  }
}

/// The n best of a source, what they looked at and a replaced unknown word share one tokenisation.
TEST(Pieces, ASourceIsTokenisedOnce) {
  TrainedModel trained = test::small_trained_model();
  const auto counted = std::make_shared<Counted>();
  const std::vector<std::string> letters = {"a", "b", "c", "d", "é", "日"};
  const size_t words = trained.fields.source->vocabulary().size();
  trained.fields.source->set_vocabulary(std::make_shared<const Vocabulary>(counted, letters));
  ASSERT_EQ(trained.fields.source->vocabulary().size(), words);
  AnswerOptions options;
  options.search.beam = options.search.n_best = 4;
  options.search.weights = true;
  options.search.max_length = 4;
  options.max_source = 8;
  const std::vector<std::string> sources = {"abc", "dab", "bad cab"};
  const auto replies = answer(trained, sources, options);
  ASSERT_EQ(replies[0].best.size(), 4U);
  EXPECT_THAT(replies[0].best[3].looked().columns, ElementsAre("a", "b", "c", "</s>"));
  EXPECT_EQ(counted->splits, 3);
  counted->splits = 0;
  align(trained, "abc", "cba", {});
  EXPECT_EQ(counted->splits, 1);
}

TEST(Pieces, WhatWasSeenIsThereOnlyWhereItIsAskedFor) {
  const TrainedModel trained = test::small_trained_model();
  const std::vector<std::string> sources = {"abc", "", "ab. cd."};
  AnswerOptions options;
  options.search.max_length = 4;
  options.is_whole = false;
  for (const Replies& replies : answer(trained, sources, options)) {
    EXPECT_FALSE(replies.front().seen);
  }
  options.sees = true;
  for (const Replies& replies : answer(trained, sources, options)) {
    ASSERT_TRUE(replies.front().seen);
    EXPECT_EQ(replies.front().seen->rows.size(), replies.front().ids.size());
    EXPECT_TRUE(replies.front().seen->weights.empty());
  }
}

}  // namespace
}  // namespace heed::pieces_test
