#include "heed/data/corpus.h"

#include <gtest/gtest.h>

#include "heed/data/learn_fields.h"
#include "heed/data/token_items.h"
#include "tests/base/scratch_directory.h"
#include "tests/data/uneven_corpus.h"

namespace heed::corpus_test {
namespace {

const std::vector<Example> some = {
    {"a b", "x"}, {"", "y"}, {"c c c", "z z z z z z"}, {"a", ""}, {"a d", "x y"}};

TEST(Corpus, EncodesEachPairOnce) {
  const Fields words = learn_fields(some, {});
  const Corpus corpus(some, words);
  ASSERT_EQ(corpus.size(), 3);
  EXPECT_EQ(corpus.left_out().sentence(), "2 with an empty side");
  EXPECT_EQ(words.source->vocabulary().decode(ids_of(corpus.source(0))), "a b");
  EXPECT_EQ(words.target->vocabulary().decode(ids_of(corpus.target(1))), "z z z z z z");
  EXPECT_EQ(corpus.text(2).target, "x y");
  const std::vector<std::int64_t> which = {2, 0};
  const BatchItems pairs = corpus.items(which);
  ASSERT_EQ(pairs.source.size(), 2U);
  EXPECT_EQ(words.source->vocabulary().decode(ids_of(pairs.source[0])), "a d");
  EXPECT_EQ(words.target->vocabulary().decode(ids_of(pairs.target[1])), "x");
}

TEST(Corpus, LimitsLeaveOut) {
  const Fields words = learn_fields(some, {});
  EXPECT_EQ(Corpus(some, words, {.max_source = 2}).size(), 2);
  EXPECT_EQ(Corpus(some, words, {.max_target = 1}).size(), 1);
  EXPECT_EQ(Corpus(some, words, {.max_ratio = 1.9}).size(), 1);
  EXPECT_EQ(Corpus(some, words, {.min_source = 3}).size(), 1);
  EXPECT_EQ(Corpus(some, words, {.min_target = 2}).size(), 2);
  const Corpus all(some, words, {.max_source = 3, .max_target = 6, .max_ratio = 2});
  EXPECT_EQ(all.left_out().count(), 2);
  const std::vector<Example> more = {{"a", "x x x x x"},   {"a a", "x"}, {"a a a a a", "x x"},
                                     {"a a a", "x x x x"}, {"a", "x"},   {"a a a a", "x x x"}};
  const Corpus some_left(more, words,
                         {.min_source = 2, .max_source = 4, .min_target = 2, .max_target = 3});
  EXPECT_EQ(some_left.size(), 1);
  EXPECT_EQ(some_left.left_out().sentence(),
            "2 below min_source, 1 below min_target, 1 beyond max_source, 1 beyond max_target");
  EXPECT_EQ(Corpus(more, words, {.max_ratio = 2}).left_out().sentence(), "2 beyond max_ratio");
}

TEST(Corpus, TheHashTellsIdsApart) {
  const Fields words = learn_fields(some, {});
  const std::vector<Example> one = {{"a b", "x"}, {"c", "x"}};
  const std::vector<Example> two = {{"a", "x"}, {"b c", "x"}};
  EXPECT_EQ(Corpus(one, words).hash(), Corpus(one, words).hash());
  EXPECT_NE(Corpus(one, words).hash(), Corpus(two, words).hash());
}

TEST(Corpus, ARowsTargetsMakeAPairEach) {
  const Fields words = learn_fields(some, {});
  const std::vector<Row> rows = {{"a b", {"x", "x y x", "y"}}, {"c", {"x y x"}}, {"a", {"z"}}};
  const Corpus corpus(rows, words, {.max_target = 2});
  EXPECT_EQ(corpus.size(), 3);
  ASSERT_EQ(corpus.rows().size(), 2U);  // the second has no pair left
  EXPECT_EQ(corpus.rows()[0].targets.size(), 3U);
  EXPECT_EQ(corpus.text(1).source, "a b");
  EXPECT_EQ(corpus.text(1).target, "y");
  EXPECT_EQ(corpus.text(2).target, "z");
  EXPECT_EQ(corpus.left_out().sentence(), "2 beyond max_target");
}

TEST(CorpusWriter, GivesTheSameIdsWhereverTheyLie) {
  const ScratchDirectory scratch;
  const int count = 9000;  // more than are encoded together
  const Corpus expected = test::uneven(count);
  for (const std::uint64_t memory : {std::uint64_t{1} << 40, std::uint64_t{5000}}) {
    Corpus corpus = test::uneven_spilled(count, scratch.path(), memory);
    EXPECT_EQ(corpus.hash(), expected.hash());
    EXPECT_EQ(corpus.is_on_disk(), memory == 5000);
    EXPECT_EQ(corpus.window() == count, memory != 5000);
    EXPECT_EQ(corpus.longest_side(16), 18);
    EXPECT_TRUE(corpus.rows().empty());
  }
}

TEST(CorpusWriter, AddsWhatWasLeftOutBefore) {
  CorpusWriter writer(learn_fields(some, {}), {.max_source = 2});
  for (const Example& example : some) {
    writer.add(example.source, example.target);
  }
  LeftOut before;
  before.add("not UTF-8", 3, "a:1");
  EXPECT_EQ(writer.finish(before).left_out().sentence(),
            "3 not UTF-8 (the first is a:1), 2 with an empty side, 1 beyond max_source");
}

}  // namespace
}  // namespace heed::corpus_test
