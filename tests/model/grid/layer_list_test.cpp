#include "heed/model/grid/layer_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed::layer_list_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string stem =
    R"({"name":"stem","op":"conv","src":["input"],"cin":3,"cout":4,"k":3,"stride":2,"act":"relu"})";
const std::string deep =
    R"({"name":"deep","op":"dwconv","src":["stem"],"cin":4,"cout":4,"k":3,"stride":1,"act":"relu6"})";
const std::string both = R"({"name":"both","op":"add","src":["deep","stem"]})";
const std::string aside =
    R"({"name":"aside","op":"conv","src":["stem"],"cin":4,"cout":7,"k":1,"stride":1,"act":"none"})";
const std::string pool = R"({"name":"pool","op":"gap","src":["both"]})";
const std::string top =
    R"({"name":"top","op":"linear","src":["pool"],"cin":4,"cout":5,"k":1,"stride":1,"act":"none"})";

std::string list_of(const std::vector<std::string>& layers) {
  std::string text;
  for (const std::string& layer : layers) {
    text += (text.empty() ? "[" : ",") + layer;
  }
  return text + "]";
}

std::string refusal(const std::string& text) {
  try {
    LayerList::parse(text, "net");
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::file);
    return error.what();
  }
  return "";
}

TEST(LayerList, ReadsShapesAndWritesTheSameText) {
  const std::string text = list_of({stem, deep, both, aside, pool, top});
  const LayerList list = LayerList::parse(text, "net");
  ASSERT_EQ(list.layers().size(), 6U);
  EXPECT_EQ(list.write(), text);
  EXPECT_EQ(list.last_grid(), "aside");
  EXPECT_EQ(list.layers()[2].sources, (std::vector<int>{1, 0}));
  EXPECT_EQ(list.layers()[2].scale, 2);
  EXPECT_EQ(list.layers()[2].out, 4);
  EXPECT_FALSE(list.layers()[4].is_grid());
  EXPECT_EQ(list.back().out, 5);
  EXPECT_THAT(list.last_uses(), ElementsAre(3, 2, 4, 3, 5, 5));
}

TEST(LayerList, KeepsWhatALayerIsComputedFrom) {
  const LayerList list = LayerList::parse(list_of({stem, aside, deep, both, pool}), "net");
  const LayerList some = list.up_to("both");
  EXPECT_EQ(some.write(), list_of({stem, deep, both}));
  EXPECT_EQ(some.layers()[2].sources, (std::vector<int>{1, 0}));
  EXPECT_EQ(list.up_to("aside").write(), list_of({stem, aside}));
  try {
    list.up_to("boths");
    FAIL() << "there is no such layer";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::usage);
    EXPECT_THAT(error.what(), HasSubstr("did you mean \"both\""));
  }
  try {
    list.up_to("whale");
    FAIL() << "there is no such layer";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("there are; the last grids are "));
    EXPECT_THAT(error.what(), HasSubstr("both"));
    EXPECT_THAT(error.what(), Not(HasSubstr("pool"))) << "a mean is no grid";
  }
}

/// The list with `from` replaced by `to` in the last layer.
std::string changed(std::vector<std::string> layers, const std::string& from,
                    const std::string& to) {
  const size_t at = layers.back().find(from);
  EXPECT_NE(at, std::string::npos);
  layers.back().replace(at, from.size(), to);
  return list_of(layers);
}

TEST(LayerList, RefusesWhatDoesNotFit) {
  EXPECT_THAT(refusal("[]"), HasSubstr("1 to 4096 layers"));
  EXPECT_THAT(refusal("{}"), HasSubstr("net"));
  EXPECT_THAT(refusal(changed({stem}, "conv", "pool")), HasSubstr("[0].op: must be"));
  EXPECT_THAT(refusal(changed({stem}, "relu", "swish")), HasSubstr("none, relu or relu6"));
  EXPECT_THAT(refusal(changed({stem}, "\"cin\":3", "\"cin\":4")), HasSubstr("must be 3"));
  EXPECT_THAT(refusal(changed({stem}, "\"k\":3", "\"k\":33")), HasSubstr("[0].k"));
  EXPECT_THAT(refusal(changed({stem}, "\"k\":3", "\"k\":0")), HasSubstr("[0].k"));
  EXPECT_THAT(refusal(changed({stem}, "\"cout\":4", "\"cout\":1e99")), HasSubstr("[0].cout"));
  EXPECT_THAT(refusal(changed({stem}, "\"stride\":2", "\"stride\":17")), HasSubstr("[0].stride"));
  EXPECT_THAT(refusal(changed({stem}, "\"act\"", "\"pad\":1,\"act\"")), HasSubstr("pad"));
  EXPECT_THAT(refusal(changed({stem}, "stem", "input")), HasSubstr("not \"input\""));
  EXPECT_THAT(refusal(changed({stem}, "stem", "a/b")), HasSubstr("letters, digits"));
  EXPECT_THAT(refusal(list_of({stem, stem})), HasSubstr("no layer before it has"));
  EXPECT_THAT(refusal(list_of({deep})), HasSubstr("a layer before this one"));
  EXPECT_THAT(refusal(changed({stem, deep}, "\"cout\":4", "\"cout\":8")),
              HasSubstr("as many as cin"));
  EXPECT_THAT(refusal(changed({stem, deep}, "[\"stem\"]", "[\"stem\",\"stem\"]")),
              HasSubstr("one layer"));
  EXPECT_THAT(refusal(changed({stem, deep, both}, ",\"stem\"", "")), HasSubstr("2 to 16 layers"));
  EXPECT_THAT(refusal(changed({stem, aside, both}, "deep", "aside")),
              HasSubstr("as many channels and cells"));
  EXPECT_THAT(refusal(changed({stem, both}, "\"deep\",\"stem\"", "\"input\",\"stem\"")),
              HasSubstr("as many channels and cells"));
  EXPECT_THAT(refusal(changed({stem, deep, both, pool, top}, "pool", "both")),
              HasSubstr("the mean of a grid"));
  EXPECT_THAT(
      refusal(changed({stem, deep, both, pool, pool}, "\"pool\",\"op\":\"gap\",\"src\":[\"both\"]",
                      "\"again\",\"op\":\"gap\",\"src\":[\"pool\"]")),
      HasSubstr("a grid, and no mean"));
  EXPECT_THAT(refusal(changed({stem, deep, both, pool, top}, "\"k\":1", "\"k\":2")),
              HasSubstr("[4].k"));
}

/// A stride product that no picture has.
TEST(LayerList, RefusesStridesWithoutEnd) {
  std::vector<std::string> layers = {stem};
  for (int i = 0; i < 13; ++i) {
    std::string next = stem;
    next.replace(next.find("stem"), 4, "l" + std::to_string(i));
    next.replace(next.find("input"), 5, i == 0 ? "stem" : "l" + std::to_string(i - 1));
    next.replace(next.find("\"cin\":3"), 7, "\"cin\":4");
    layers.push_back(next);
  }
  EXPECT_THAT(refusal(list_of(layers)), HasSubstr("product is at most 4096"));
}

}  // namespace
}  // namespace heed::layer_list_test
