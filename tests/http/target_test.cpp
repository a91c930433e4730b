#include "heed/http/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heed::test::target_test {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(Percent, IsDecoded) {
  EXPECT_EQ(percent_decoded("a%20b+c%C3%a9", false), "a b+c\xc3\xa9");
  EXPECT_EQ(percent_decoded("a%20b+c", true), "a b c");
  EXPECT_EQ(percent_decoded("", true), "");
  for (const char* const bad : {"%", "%4", "%g0", "%0g", "a%", "%%20"}) {
    EXPECT_EQ(percent_decoded(bad, true), std::nullopt) << bad;
  }
}

TEST(Form, IsTakenApart) {
  EXPECT_THAT(*form_parameters("q=a+b&q=%26&empty=&flag&&=x&u==%3D"),
              ElementsAre(Pair("q", "a b"), Pair("q", "&"), Pair("empty", ""), Pair("flag", ""),
                          Pair("", "x"), Pair("u", "==")));
  EXPECT_THAT(*form_parameters(""), ElementsAre());
  EXPECT_EQ(form_parameters("a=%"), std::nullopt);
  EXPECT_EQ(form_parameters("a=1&%x=2"), std::nullopt);
}

}  // namespace
}  // namespace heed::test::target_test
