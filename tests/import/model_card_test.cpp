// What is read of the lines at the beginning of a model card.
#include "heed/import/model_card.h"

#include <gtest/gtest.h>

namespace heed::test::model_card_test {
namespace {

using Values = std::map<std::string, std::string>;

TEST(ModelCard, HasValuesAndLists) {
  EXPECT_EQ(
      read_model_card("---\nlanguage:\n- en\n  - \"fr\"\nlicense: apache-2.0\r\ntags: x: y\n"
                      "nested:\n  key: no\n---\nname: no\n"),
      (Values{
          {"language", "en, fr"}, {"license", "apache-2.0"}, {"tags", "x: y"}, {"nested", ""}}));
}

TEST(ModelCard, NeedsBothLines) {
  EXPECT_EQ(read_model_card(""), Values());
  EXPECT_EQ(read_model_card("license: mit\n---\n---\n"), Values());
  EXPECT_EQ(read_model_card("---\nlicense: mit\n"), Values());
}

TEST(ModelCard, KeepsLinesWhole) {
  EXPECT_EQ(read_model_card("---\nlicense: a\x1b[31m\n---\n").at("license"), "a␛[31m");
  EXPECT_EQ(read_model_card("---\nlicense: \xFF\n---\n").at("license"), "");
  EXPECT_EQ(read_model_card("---\nlicense: " + std::string(300, 'x') + "\n---\n").at("license"),
            "");
}

}  // namespace
}  // namespace heed::test::model_card_test
