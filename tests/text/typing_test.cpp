#include "heed/text/typing.h"

#include <gtest/gtest.h>

namespace heed::typing_test {
namespace {

TEST(Typing, QuotesBecomeThoseOfAPlainKeyboard) {
  EXPECT_EQ(with_plain_quotes("“It’s ‘fine’,” she said."), "\"It's 'fine',\" she said.");
  EXPECT_EQ(with_plain_quotes("„So“"), "\"So\"");
  EXPECT_EQ(with_plain_quotes("5′ – 你好 é"), "5′ – 你好 é") << "other marks stay";
  EXPECT_EQ(with_plain_quotes(""), "");
}

TEST(Typing, ATextAllInCapitalsBecomesSmall) {
  EXPECT_EQ(without_shouting("WHERE IS ÉCOLE 7?"), "where is école 7?");
  EXPECT_EQ(without_shouting("Where IS it?"), "Where IS it?") << "one small letter is enough";
  EXPECT_EQ(without_shouting("I"), "I") << "one letter does not shout";
  EXPECT_EQ(without_shouting("1987!"), "1987!");
  EXPECT_EQ(without_shouting("你好"), "你好") << "letters without a case";
}

}  // namespace
}  // namespace heed::typing_test
