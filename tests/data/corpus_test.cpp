#include "heed/data/corpus.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed {
namespace {

const std::vector<Example> some = {
    {"a b", "x"}, {"", "y"}, {"c c c", "z z z z z z"}, {"a", ""}, {"a d", "x y"}};

TEST(Corpus, EncodesEachPairOnce) {
  const VocabularyPair words = learn_vocabularies(some, {});
  const Corpus corpus(some, words);
  ASSERT_EQ(corpus.size(), 3);
  EXPECT_EQ(corpus.dropped(), 2);
  EXPECT_EQ(words.source->decode(corpus.source(0)), "a b");
  EXPECT_EQ(words.target->decode(corpus.target(1)), "z z z z z z");
  EXPECT_EQ(corpus.text(2).target, "x y");
  const std::vector<std::int64_t> which = {2, 0};
  const TokenPairs pairs = corpus.pairs(which);
  ASSERT_EQ(pairs.source.size(), 2U);
  EXPECT_EQ(words.source->decode(pairs.source[0]), "a d");
  EXPECT_EQ(words.target->decode(pairs.target[1]), "x");
}

TEST(Corpus, LimitsLeaveOut) {
  const VocabularyPair words = learn_vocabularies(some, {});
  EXPECT_EQ(Corpus(some, words, {.max_source = 2}).size(), 2);
  EXPECT_EQ(Corpus(some, words, {.max_target = 1}).size(), 1);
  EXPECT_EQ(Corpus(some, words, {.max_ratio = 1.9}).size(), 1);
  EXPECT_EQ(Corpus(some, words, {.max_source = 3, .max_target = 6, .max_ratio = 2}).dropped(), 2);
}

TEST(Corpus, VocabulariesFollowTheirPlan) {
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

TEST(Corpus, TheHashTellsIdsApart) {
  const VocabularyPair words = learn_vocabularies(some, {});
  const std::vector<Example> one = {{"a b", "x"}, {"c", "x"}};
  const std::vector<Example> two = {{"a", "x"}, {"b c", "x"}};
  EXPECT_EQ(Corpus(one, words).hash(), Corpus(one, words).hash());
  EXPECT_NE(Corpus(one, words).hash(), Corpus(two, words).hash());
}

}  // namespace
}  // namespace heed
