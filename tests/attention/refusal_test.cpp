// Every refusal gives its reason: what was seen, and what to do instead.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/config/apply.h"
#include "tests/attention/rig.h"

namespace heed::test::refusal_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const Place place{&forced("cpu"), DType::f32};

/// What the refusal says; empty where there was none.
template <class F>
std::string refusal(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string refused_build(Attention& attention, const AttentionWidths& widths) {
  return refusal([&] {
    Init init(place, 1);
    attention.build(widths, init);
  });
}

/// Attends with rows of width 4 to one memory of `slots` slots.
std::string refused_look(Attention& attention, int32_t slots) {
  Init init(place, 1);
  attention.build({4, 4, 0}, init);
  return refusal([&] {
    const std::vector<int32_t> rows = {2};
    const std::vector<int32_t> lengths = {slots};
    const Layout queries = Layout::packed(rows, place);
    const Layout layout = Layout::packed(lengths, place);
    const Geometry geometry({.queries = queries, .memory_lengths = lengths, .place = place});
    const Tensor query = Tensor::full({2, 4}, 0.5, place);
    const Tensor memory = Tensor::full({slots, 4}, 0.5, place);
    Pass pass = Pass::serving();
    attend(attention, {query, geometry, attention.remember(memory, layout), {}, {}}, pass);
  });
}

TEST(Refusals, ScoresThatNeedEqualWidths) {
  for (const std::string score : {"dot", "scaled_dot", "cosine"}) {
    Attention attention;
    attention.choose_score(score);
    EXPECT_THAT(refused_build(attention, {6, 4}),
                AllOf(HasSubstr(score + ": the query has 6 channels and the keys have 4"),
                      HasSubstr("use bilinear or additive, or heads with projections")));
  }
}

TEST(Refusals, WhatIsRefusedWithoutProjectionsWorksAsAdvised) {
  for (const auto& score : scores()) {
    Attention attention;
    attention.choose_score(score.name);
    attention.choose_heads(1, 0, true);
    EXPECT_EQ(refused_build(attention, {6, 4}), "") << score.name;
  }
  for (const std::string score : {"bilinear", "additive"}) {
    Attention attention;
    attention.choose_score(score);
    EXPECT_EQ(refused_build(attention, {6, 4}), "") << score;
  }
}

TEST(Refusals, HeadsThatDoNotDivideTheWidth) {
  Attention attention;
  attention.choose_heads(8, 0, true);
  EXPECT_THAT(refused_build(attention, {500, 500}),
              HasSubstr("attend: 500 channels of the query cannot be split into 8 equal heads; "
                        "choose a number of heads that divides the channels, or set head_width"));
  attention.choose_head_width(60);
  EXPECT_EQ(refused_build(attention, {500, 500}), "");
}

TEST(Refusals, HeadsWithoutProjections) {
  Attention attention;
  attention.choose_heads(2, 0, false);
  EXPECT_THAT(
      refused_build(attention, {4, 4}),
      AllOf(HasSubstr("attend: 2 heads without projections would all be equal; set project = true"),
            HasSubstr("set project = true")));
  attention.choose_heads(1, 0, false);
  attention.choose_head_width(2);
  EXPECT_THAT(refused_build(attention, {4, 4}),
              HasSubstr("attend: heads of 2 channels are made by projections; set project = true"));
}

TEST(Refusals, GroupsThatDoNotDivideTheHeads) {
  for (const int64_t groups : {3, 8}) {
    Attention attention;
    attention.choose_heads(4, groups, true);
    EXPECT_THAT(refused_build(attention, {8, 8}),
                AllOf(HasSubstr("attend: 4 heads cannot share"),
                      HasSubstr("choose a number of groups that divides")));
  }
}

TEST(Refusals, RotaryWhereNoKeyIsRead) {
  Attention attention;
  attention.choose_score("location");
  attention.choose_rotary(true);
  EXPECT_THAT(refused_build(attention, {4, 4}),
              AllOf(HasSubstr("the score location reads no keys that rotary could rotate"),
                    HasSubstr("choose another score")));
}

TEST(Refusals, RotaryWithOddWidths) {
  Attention heads;
  heads.choose_heads(2, 0, true);
  heads.choose_rotary(true);
  EXPECT_THAT(refused_build(heads, {6, 6}),
              AllOf(HasSubstr("a head has 3"), HasSubstr("choose an even width")));
  Attention keys;
  keys.choose_rotary(true);  // additive: query and keys may differ in width
  EXPECT_THAT(refused_build(keys, {4, 5}), HasSubstr("a key has 5"));
}

TEST(Refusals, TwoGaussians) {
  Attention attention;
  attention.choose_focus({"local_p", "causal", "local_p"});
  EXPECT_THAT(
      refused_look(attention, 3),
      HasSubstr("focus: two parts place a Gaussian, but a row has one centre; keep one of them"));
}

TEST(Refusals, AMemoryLongerThanTheLocationScoreHasRows) {
  for (const int32_t slots : {3, 4}) {
    Attention attention;
    apply(attention, parse_json(R"({"score": {"kind": "location", "slots": 3}})", "test"));
    if (slots == 3) {
      EXPECT_EQ(refused_look(attention, slots), "");
    } else {
      EXPECT_THAT(refused_look(attention, slots),
                  HasSubstr("location: a source of 4 slots is longer than the 3 that this model "
                            "has places for; raise `slots`"));
    }
  }
}

TEST(Refusals, MemoriesTheGeometryDoesNotKnow) {
  Attention attention;
  Init init(place, 1);
  attention.build({4, 4}, init);
  const std::vector<int32_t> rows = {2};
  const std::vector<int32_t> lengths = {3};
  const std::vector<int32_t> other = {1};
  const Layout queries = Layout::packed(rows, place);
  EXPECT_THAT(refusal([&] {
                Geometry({.queries = queries,
                          .memory_lengths = lengths,
                          .memory_of = other,
                          .first_position = {},
                          .place = place});
              }),
              HasSubstr("attend: query sequence 0 names memory 1, there are 1"));
  const std::vector<int32_t> two = {3, 3};
  const Geometry geometry(
      {.queries = Layout::packed(two, place), .memory_lengths = two, .place = place});
  const Tensor six = Tensor::full({6, 4}, 1, place);
  Pass pass = Pass::serving();
  EXPECT_THAT(refusal([&] {
                const Tensor three = Tensor::full({3, 4}, 1, place);
                const Memory one = attention.remember(three, Layout::packed(lengths, place));
                attend(attention, {six, geometry, one, {}, {}}, pass);
              }),
              HasSubstr("attend: saw 1 memories, needs the geometry's 2"));
  EXPECT_THAT(refusal([&] {
                const Tensor five = Tensor::full({5, 4}, 1, place);
                const Memory both = attention.remember(six, Layout::packed(two, place));
                attend(attention, {five, geometry, both, {}, {}}, pass);
              }),
              HasSubstr("attend: saw 5 query rows, needs 6"));
}

/// Each name with its first letter doubled, to its catalogue and to a recipe.
template <class Part>
void expect_suggestions(const char* role, const Catalogue<Part>& catalogue) {
  for (const auto& entry : catalogue) {
    const std::string misspelt = entry.name.substr(0, 1) + entry.name;
    const auto suggestion = HasSubstr("did you mean \"" + entry.name + "\"?");
    EXPECT_THAT(
        refusal([&] { make_part(catalogue, misspelt); }),
        AllOf(HasSubstr(std::string(role) + ": unknown \"" + misspelt + "\"; choose one of "),
              suggestion));
    Attention attention;
    EXPECT_THAT(refusal([&] { apply(attention, Json::object().set(role, misspelt)); }),
                AllOf(HasSubstr(role), suggestion));
    for (const std::string& alias : entry.aliases) {
      EXPECT_EQ(make_part(catalogue, alias)->kind(), entry.name);
    }
  }
}

TEST(Refusals, UnknownPartsSuggestKnownOnes) {
  expect_suggestions("score", scores());
  expect_suggestions("normaliser", normalisers());
  expect_suggestions("focus", focuses());
}

}  // namespace
}  // namespace heed::test::refusal_test
