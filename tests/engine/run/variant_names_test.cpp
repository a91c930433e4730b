#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/engine/run/compare.h"

namespace heed::variant_names_test {
namespace {

using ::testing::ElementsAre;
using ::testing::MatchesRegex;
using ::testing::SizeIs;

/// The names of the values of one axis, `PATH=VALUE,VALUE,…`.
std::vector<std::string> names_of(const std::string& axis) {
  std::vector<std::string> names;
  for (const Variant& variant : variants_of({&axis, 1})) {
    names.push_back(variant.name);
  }
  return names;
}

TEST(VariantNames, OfPartsAreTheirNames) {
  EXPECT_THAT(names_of("model.decoder.attention.score=dot,\"additive\",scaled_dot"),
              ElementsAre("dot", "additive", "scaled_dot"));
  EXPECT_THAT(
      names_of(R"(training.objectives=["teacher_forcing"],["teacher_forcing","reinforce"])"),
      ElementsAre("teacher_forcing", "teacher_forcing_reinforce"));
  EXPECT_THAT(names_of("data.train=a/b.tsv,/c d.tsv"), ElementsAre("a_b.tsv", "c_d.tsv"));
}

TEST(VariantNames, OfValuesThatDoNotExplainThemselvesHaveTheirSetting) {
  EXPECT_THAT(names_of("model.encoder.depth=1,2"), ElementsAre("depth=1", "depth=2"));
  EXPECT_THAT(names_of("training.learning_rate=0.001,3e-4,-1"),
              ElementsAre("learning_rate=0.001", "learning_rate=3e-4", "learning_rate=-1"));
  EXPECT_THAT(names_of("a.x=inf,{y=inf},{y=0.5,z=true}"),
              ElementsAre("x=inf", "y=inf", "y=0.5,z=true"));
  EXPECT_THAT(names_of("model.tied=true,false"), ElementsAre("tied=true", "tied=false"));
  EXPECT_THAT(names_of("a.x=[1, 2],\"2b\",[],☃"), ElementsAre("x=1_2", "x=2b", "x=none", "x=_"));
}

TEST(VariantNames, OfTablesAreTheirKindsAndWhatTellsThemApart) {
  EXPECT_THAT(names_of(R"(e={kind="transformer",width=8,self={heads=2}},gru,{ kind = "cnn" })"),
              ElementsAre("transformer", "gru", "cnn"));
  EXPECT_THAT(names_of(R"(f={kind="local_m",window=2},{kind="local_m",window=4},local_m,causal)"),
              ElementsAre("local_m,window=2", "local_m,window=4", "local_m", "causal"));
  EXPECT_THAT(
      names_of(
          R"(e={kind="lstm",width=8,self="dot"},{kind="lstm",width=8,self={kind="cosine",scale=2}})"),
      ElementsAre("lstm,self=dot", "lstm,self=cosine,self.scale=2"));
  EXPECT_THAT(names_of(R"(f=[{kind="prior",shape="alibi"}],[{kind="prior",shape="fast"}],{})"),
              ElementsAre("prior,shape=alibi", "prior,shape=fast", "f=none"));
  EXPECT_THAT(names_of(R"(training.scoring={tokenize="zh"},{tokenize="13a"})"),
              ElementsAre("tokenize=zh", "tokenize=13a"));
}

TEST(VariantNames, OfLargeTablesAreCutButStayDifferent) {
  const std::vector<std::string> names = names_of(
      R"(s={first_setting=1,second_setting=2,third_setting=3},{first_setting=2,second_setting=3,third_setting=4})");
  for (const std::string& name : names) {
    EXPECT_THAT(name, SizeIs(40));
    EXPECT_THAT(name, MatchesRegex("first_setting=[12],second_setti.*~[0-9a-f]{8}"));
  }
  EXPECT_NE(names[0], names[1]);
}

TEST(VariantNames, SettingsWithTheSameLastWordAreToldApart) {
  const std::vector<Axis> axes = {{"model.encoder.depth", {"1"}},
                                  {"model.decoder.depth", {"2"}},
                                  {"training.seed", {"3"}},
                                  {"depth", {"4"}}};
  EXPECT_THAT(variant_names(axes),
              ElementsAre(ElementsAre("encoder.depth=1"), ElementsAre("decoder.depth=2"),
                          ElementsAre("seed=3"), ElementsAre("depth=4")));
}

}  // namespace
}  // namespace heed::variant_names_test
