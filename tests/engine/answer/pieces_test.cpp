#include "heed/engine/answer/pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/text/tokenisers.h"

namespace heed::pieces_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Vocabulary& letters() {
  static const Vocabulary all(std::shared_ptr<const Tokeniser>(characters()), {"a", "b", " "});
  return all;
}

std::vector<PieceText> cut(const std::string& line, int64_t most) {
  return pieces_of(line, letters(), {false, most, 7});
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
      EXPECT_LE(letters().tokeniser().split(piece.text).size(), 4U);
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

}  // namespace
}  // namespace heed::pieces_test
