#include "heed/data/learn_fields.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed::learn_fields_test {
namespace {

const std::vector<Example> some = {
    {"a b", "x"}, {"", "y"}, {"c c c", "z z z z z z"}, {"a", ""}, {"a d", "x y"}};

TEST(LearnFields, FollowTheirPlan) {
  const Fields apart = learn_fields(some, {.target = "characters"});
  EXPECT_FALSE(apart.shares_vocabulary());
  EXPECT_EQ(apart.source->vocabulary().size(), 3U + 4);  // a b c d
  EXPECT_EQ(apart.target->vocabulary().size(), 3U + 4);  // x y z and the blank
  const Fields shared = learn_fields(some, {.is_shared = true});
  EXPECT_TRUE(shared.shares_vocabulary());
  EXPECT_EQ(shared.source->vocabulary().size(), 3U + 7);
  EXPECT_EQ(learn_fields(some, {.max_source = 5}).source->vocabulary().size(), 5U);
  EXPECT_EQ(learn_fields(some, {.min_count = 3}).source->vocabulary().size(), 3U + 2);  // a and c
  EXPECT_THROW(learn_fields(some, {.target = "characters", .is_shared = true}), Error);
}

Cells numbered(int count) {
  Cells texts;
  for (int i = 0; i < count; ++i) {
    texts.add("s" + std::to_string(i), "t" + std::to_string(i));
  }
  texts.finish();
  return texts;
}

TEST(LearnFields, OfTextsAreThoseOfExamples) {
  Cells texts;
  for (const Example& example : some) {
    texts.add(example.source, example.target);
  }
  texts.finish();
  EXPECT_EQ(learn_fields(FieldChoice().made(), texts, {}).source->vocabulary().to_bytes(),
            learn_fields(some, {}).source->vocabulary().to_bytes());
}

TEST(LearnFields, OfASampleSeeOneOfEachStretch) {
  const Cells texts = numbered(1000);
  const Fields pair = learn_fields(FieldChoice().made(), texts, {.sample = 300});
  ASSERT_EQ(pair.source->vocabulary().size(), 3U + 300);
  std::vector<bool> seen(1000);
  for (TokenId id = 3; id < 303; ++id) {
    const std::string number = pair.source->vocabulary().token(id).substr(1);
    seen[static_cast<std::size_t>(std::stoi(number))] = true;
    EXPECT_NE(pair.target->vocabulary().id("t" + number),
              SpecialTokens().unknown());  // both sides of a pair
  }
  for (std::size_t stretch = 0; stretch < 300; ++stretch) {
    const auto first = seen.begin() + static_cast<std::ptrdiff_t>(1000 * stretch / 300);
    const auto last = seen.begin() + static_cast<std::ptrdiff_t>(1000 * (stretch + 1) / 300);
    EXPECT_EQ(std::count(first, last, true), 1) << stretch;
  }
  EXPECT_EQ(
      learn_fields(FieldChoice().made(), texts, {.sample = 300}).source->vocabulary().to_bytes(),
      pair.source->vocabulary().to_bytes());
  EXPECT_EQ(learn_fields(FieldChoice().made(), texts, {.sample = 1000}).source->vocabulary().size(),
            1003U);
  EXPECT_EQ(learn_fields(FieldChoice().made(), texts, {.sample = 999}).source->vocabulary().size(),
            1002U);
}

}  // namespace
}  // namespace heed::learn_fields_test
