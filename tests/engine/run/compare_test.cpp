#include "heed/engine/run/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed::compare_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> names_of(const std::vector<std::string>& axes) {
  std::vector<std::string> names;
  for (const Variant& variant : variants_of(axes)) {
    names.push_back(variant.name);
  }
  return names;
}

std::string refused(const std::vector<std::string>& axes) {
  try {
    variants_of(axes);
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::usage);
    return error.what();
  }
  return "nothing was refused";
}

TEST(Variants, AreEveryCombination) {
  const std::vector<std::string> axes = {"a.score=dot,additive", "seed=1,2"};
  EXPECT_THAT(names_of(axes),
              ElementsAre("dot-seed=1", "dot-seed=2", "additive-seed=1", "additive-seed=2"));
  EXPECT_THAT(variants_of(axes)[1].assignments, ElementsAre("a.score=dot", "seed=2"));
  EXPECT_THAT(names_of({"x=1"}), ElementsAre("x=1"));
}

TEST(Variants, AValueMayHaveCommasInsideBracketsAndQuotes) {
  const std::vector<std::string> axes = {
      R"(f=["everywhere"],["causal","local_m"],{ kind = "prior", shape = "alibi" },"a,b")"};
  EXPECT_THAT(names_of(axes), ElementsAre("everywhere", "causal_local_m", "prior", "a_b"));
  EXPECT_THAT(variants_of(axes)[1].assignments, ElementsAre(R"(f=["causal","local_m"])"));
}

TEST(Variants, WhatMakesNoSenseIsRefused) {
  for (const char* axis : {"score", "=dot", "score=", "score=dot,,cosine", ""}) {
    EXPECT_THAT(refused({axis}), HasSubstr("must be PATH=VALUE,VALUE,…")) << axis;
  }
  EXPECT_THAT(refused({"score=dot,dot"}), HasSubstr("two variants are called dot"));
  const std::string many = "x=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17";
  EXPECT_THAT(refused({many, "y" + many.substr(1)}),
              HasSubstr("there are more than 256 variants; shorten a list of --over"));
}

TEST(Variants, MayHaveSettingsOfTheirOwn) {
  const std::vector<std::string> axes = {"a.score=dot,additive", "depth=1,2"};
  std::vector<Variant> variants = variants_of(axes);
  give_own_settings(variants, std::vector<std::string>{"additive:b=[1,2]", "depth=2:c=a:b"});
  EXPECT_THAT(variants[0].assignments, ElementsAre("a.score=dot", "depth=1"));
  EXPECT_THAT(variants[1].assignments, ElementsAre("a.score=dot", "depth=2", "c=a:b"));
  EXPECT_THAT(variants[2].assignments, ElementsAre("a.score=additive", "depth=1", "b=[1,2]"));
  EXPECT_THAT(variants[3].assignments,
              ElementsAre("a.score=additive", "depth=2", "b=[1,2]", "c=a:b"));
  EXPECT_THROW(give_own_settings(variants, std::vector<std::string>{"dots:b=1"}), Error);
  EXPECT_THROW(give_own_settings(variants, std::vector<std::string>{"b=1"}), Error);
}

}  // namespace
}  // namespace heed::compare_test
