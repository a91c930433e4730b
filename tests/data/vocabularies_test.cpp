#include "heed/data/vocabularies.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed {
namespace {

const std::vector<Example> some = {
    {"a b", "x"}, {"", "y"}, {"c c c", "z z z z z z"}, {"a", ""}, {"a d", "x y"}};

TEST(Vocabularies, FollowTheirPlan) {
  const VocabularyPair apart = learn_vocabularies(some, {.target = "characters"});
  EXPECT_NE(apart.source, apart.target);
  EXPECT_EQ(apart.source->size(), 3U + 4);  // a b c d
  EXPECT_EQ(apart.target->size(), 3U + 4);  // x y z and the blank
  const VocabularyPair shared = learn_vocabularies(some, {.is_shared = true});
  EXPECT_EQ(shared.source, shared.target);
  EXPECT_EQ(shared.source->size(), 3U + 7);
  EXPECT_EQ(learn_vocabularies(some, {.max_source = 5}).source->size(), 5U);
  EXPECT_EQ(learn_vocabularies(some, {.min_count = 3}).source->size(), 3U + 2);  // a and c
  EXPECT_THROW(learn_vocabularies(some, {.target = "characters", .is_shared = true}), Error);
}

PairTexts numbered(int count) {
  PairTexts texts;
  for (int i = 0; i < count; ++i) {
    texts.add("s" + std::to_string(i), "t" + std::to_string(i));
  }
  texts.finish();
  return texts;
}

TEST(Vocabularies, OfTextsAreThoseOfExamples) {
  PairTexts texts;
  for (const Example& example : some) {
    texts.add(example.source, example.target);
  }
  texts.finish();
  EXPECT_EQ(learn_vocabularies(texts, {}).source->to_bytes(),
            learn_vocabularies(some, {}).source->to_bytes());
}

TEST(Vocabularies, OfASampleSeeOneOfEachStretch) {
  const PairTexts texts = numbered(1000);
  const VocabularyPair pair = learn_vocabularies(texts, {.sample = 300});
  ASSERT_EQ(pair.source->size(), 3U + 300);
  std::vector<bool> seen(1000);
  for (TokenId id = 3; id < 303; ++id) {
    const std::string number = pair.source->token(id).substr(1);
    seen[static_cast<std::size_t>(std::stoi(number))] = true;
    EXPECT_NE(pair.target->id("t" + number), Vocabulary::unknown);  // both sides of a pair
  }
  for (std::size_t stretch = 0; stretch < 300; ++stretch) {
    const auto first = seen.begin() + static_cast<std::ptrdiff_t>(1000 * stretch / 300);
    const auto last = seen.begin() + static_cast<std::ptrdiff_t>(1000 * (stretch + 1) / 300);
    EXPECT_EQ(std::count(first, last, true), 1) << stretch;
  }
  EXPECT_EQ(learn_vocabularies(texts, {.sample = 300}).source->to_bytes(), pair.source->to_bytes());
  EXPECT_EQ(learn_vocabularies(texts, {.sample = 1000}).source->size(), 1003U);
  EXPECT_EQ(learn_vocabularies(texts, {.sample = 999}).source->size(), 1002U);
}

}  // namespace
}  // namespace heed
