#include "heed/text/word_groups.h"

#include <gtest/gtest.h>

#include "heed/text/tokenisers.h"

namespace heed {
namespace {

using Tokens = std::vector<std::string>;
using Places = std::vector<std::size_t>;

TEST(WordGroups, OfWordsAreTheWords) {
  const WordGroups made = group_words(*words(), Tokens{"the", "house", "."});
  EXPECT_EQ(made.words, (Tokens{"the", "house", "."}));
  EXPECT_EQ(made.word_of, (Places{0, 1, 2}));
}

TEST(WordGroups, OfSubwordsAreWhatBlanksPart) {
  const WordGroups made =
      group_words(*bpe(), Tokens{"▁the", "▁hous", "es", ".", "▁", "<0xC3>", "<0xA9>", "t"});
  EXPECT_EQ(made.words, (Tokens{"the", "houses.", "ét"}));
  EXPECT_EQ(made.word_of, (Places{0, 1, 1, 1, 2, 2, 2, 2}));
}

TEST(WordGroups, WhereNoBlanksAreWrittenEveryTokenIsAWord) {
  const WordGroups made = group_words(*unigram(), Tokens{"▁我", "喜欢", "图书馆", "。", "ab", "c",
                                                         "▁", "<0xE4>", "<0xB8>", "<0xAD>", "文"});
  EXPECT_EQ(made.words, (Tokens{"我", "喜欢", "图书馆", "。", "abc", "中", "文"}));
  EXPECT_EQ(made.word_of, (Places{0, 1, 2, 3, 4, 4, 5, 5, 5, 5, 6}));
}

TEST(WordGroups, OfCharactersAndBytes) {
  const WordGroups letters = group_words(*characters(), Tokens{"a", "b", " ", " ", "c", " "});
  EXPECT_EQ(letters.words, (Tokens{"ab", "c"}));
  EXPECT_EQ(letters.word_of, (Places{0, 0, 1, 1, 1, 1}));
  const std::string text = "né 中";
  const WordGroups octets = group_words(*bytes(), bytes()->split(text));
  EXPECT_EQ(octets.words, (Tokens{"né", "中"}));
  EXPECT_EQ(octets.word_of, (Places{0, 0, 0, 1, 1, 1, 1}));
  const WordGroups cut = group_words(*bytes(), Tokens{"<0xE4>", "<0x61>"});
  EXPECT_EQ(cut.words, (Tokens{"\uFFFDa"}));
}

TEST(WordGroups, OfNothingAndOfBlanks) {
  EXPECT_TRUE(group_words(*words(), Tokens{}).words.empty());
  const WordGroups blanks = group_words(*characters(), Tokens{" ", " "});
  EXPECT_EQ(blanks.words, (Tokens{""}));
  EXPECT_EQ(blanks.word_of, (Places{0, 0}));
}

TEST(WordGroups, MarksStayWithTheirLetters) {
  const WordGroups made = group_words(*characters(), Tokens{"ก", "ำ", "่", "น"});
  EXPECT_EQ(made.word_of.size(), 4U);
  EXPECT_EQ(made.word_of[2], made.word_of[1]);
}

}  // namespace
}  // namespace heed
