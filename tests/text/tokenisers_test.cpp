#include "heed/text/tokenisers.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed {
namespace {

using Tokens = std::vector<std::string>;

TEST(Words, SplitAtAnyWhiteSpaceAndJoinedByABlank) {
  const auto tokeniser = tokenisers().make("words");
  EXPECT_EQ(tokeniser->split("  the\t big\u00a0house\u3000。\r\n"),
            (Tokens{"the", "big", "house", "。"}));
  EXPECT_EQ(tokeniser->split(" \n"), Tokens{});
  EXPECT_EQ(tokeniser->join(Tokens{"the", "house"}), "the house");
  EXPECT_EQ(tokeniser->join(Tokens{}), "");
  EXPECT_TRUE(tokeniser->yields("a\u200bb"));
  EXPECT_FALSE(tokeniser->yields("a b"));
  EXPECT_FALSE(tokeniser->yields("a "));
  EXPECT_FALSE(tokeniser->yields(" "));
}

TEST(Characters, OneTokenForEachCodePoint) {
  const auto tokeniser = tokenisers().make("characters");
  EXPECT_EQ(tokeniser->split("a 中\n"), (Tokens{"a", " ", "中", "\n"}));
  EXPECT_EQ(tokeniser->split("e\u0301"), (Tokens{"e", "\u0301"}));
  EXPECT_EQ(tokeniser->join(Tokens{"中", " ", "a"}), "中 a");
  EXPECT_TRUE(tokeniser->yields("中"));
  EXPECT_FALSE(tokeniser->yields("ab"));
}

TEST(Tokenisers, EveryOneGivesItsTextBack) {
  for (const auto& entry : tokenisers()) {
    const auto tokeniser = entry.make();
    EXPECT_EQ(tokeniser->name(), entry.name);
    for (const std::string text : {"", "a", "the quick brown fox .", "我 喜欢 图书馆 。",
                                   "naïve 👩‍👩‍👧 \u202E"}) {
      const Tokens tokens = tokeniser->split(text);
      EXPECT_EQ(tokeniser->join(tokens), text) << entry.name;
      for (const std::string& token : tokens) {
        EXPECT_TRUE(tokeniser->yields(token)) << entry.name << ": " << token;
      }
    }
    EXPECT_FALSE(tokeniser->yields("")) << entry.name;
    EXPECT_FALSE(tokeniser->yields("\xFF")) << entry.name;
    EXPECT_THROW(tokeniser->split("a\xFF"), Error) << entry.name;
    EXPECT_THROW(tokeniser->restore("not a state"), Error) << entry.name;
    EXPECT_NO_THROW(entry.make()->restore(tokeniser->state())) << entry.name;
  }
}

}  // namespace
}  // namespace heed
