#include "heed/data/batches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "heed/base/error.h"
#include "heed/data/examples.h"

namespace heed {
namespace {

/// Sentence i has i % 17 + 1 source tokens and i % 5 + 1 target tokens.
Corpus uneven(int count) {
  std::vector<Example> examples;
  for (int i = 0; i < count; ++i) {
    Example example;
    for (int k = 0; k <= i % 17; ++k) {
      example.source += "s ";
    }
    for (int k = 0; k <= i % 5; ++k) {
      example.target += "t ";
    }
    examples.push_back(example);
  }
  return {examples, learn_vocabularies(examples, {})};
}

std::int64_t padded(const Corpus& corpus, const std::vector<std::int64_t>& batch) {
  std::size_t longest = 0;
  for (const std::int64_t i : batch) {
    longest = std::max({longest, corpus.source(i).size() + 1, corpus.target(i).size() + 1});
  }
  return static_cast<std::int64_t>(longest * batch.size());
}

const std::vector<BatchOptions> all_options = {
    {.sentences = 8, .tokens = 0, .pool = 4, .seed = 3},
    {.sentences = 0, .tokens = 64, .pool = 4, .seed = 3},
    {.sentences = 6, .tokens = 80, .pool = 3, .seed = 4},
    {.sentences = 8, .tokens = 0, .pool = 1, .seed = 3},
    {.sentences = 1000, .tokens = 0, .pool = 4, .seed = 3},
};

TEST(Batches, EveryEpochHoldsEveryExampleOnce) {
  const Corpus corpus = uneven(203);
  for (const BatchOptions& options : all_options) {
    Batches batches(corpus, options);
    std::int64_t step = 0;
    for (std::int64_t epoch = 0; epoch < 4; ++epoch) {
      std::vector<std::int64_t> seen;
      for (; batches.epoch_of(step) == epoch; ++step) {
        const auto batch = batches.at(step);
        ASSERT_FALSE(batch.empty());
        seen.insert(seen.end(), batch.begin(), batch.end());
        EXPECT_LE(static_cast<std::int64_t>(batch.size()),
                  options.sentences > 0 ? options.sentences : 1000);
        if (options.tokens > 0) {
          EXPECT_LE(padded(corpus, batch), options.tokens);
        }
      }
      std::sort(seen.begin(), seen.end());
      std::vector<std::int64_t> all(203);
      std::iota(all.begin(), all.end(), 0);
      EXPECT_EQ(seen, all) << "epoch " << epoch;
    }
  }
}

TEST(Batches, AreAPureFunctionOfTheStep) {
  const Corpus corpus = uneven(150);
  for (const BatchOptions& options : all_options) {
    Batches forwards(corpus, options);
    std::vector<std::vector<std::int64_t>> seen;
    for (std::int64_t step = 0; step < 90; ++step) {
      seen.push_back(forwards.at(step));
    }
    Batches backwards(corpus, options);
    for (std::int64_t step = 89; step >= 0; --step) {
      EXPECT_EQ(backwards.at(step), seen[static_cast<std::size_t>(step)]);
    }
  }
}

TEST(Batches, DifferBySeedAndEpoch) {
  const Corpus corpus = uneven(64);
  Batches one(corpus, {.sentences = 8, .seed = 1});
  Batches two(corpus, {.sentences = 8, .seed = 2});
  EXPECT_NE(one.at(0), two.at(0));
  EXPECT_EQ(one.epoch_of(7), 0);
  EXPECT_EQ(one.epoch_of(8), 1);
  EXPECT_NE(one.at(0), one.at(8));
}

TEST(Batches, HoldLikeLengths) {
  const Corpus corpus = uneven(800);
  const auto waste = [&corpus](std::int64_t pool) {
    Batches batches(corpus, {.sentences = 10, .pool = pool, .seed = 1});
    std::int64_t sum = 0;
    for (std::int64_t step = 0; batches.epoch_of(step) == 0; ++step) {
      sum += padded(corpus, batches.at(step));
    }
    return sum;
  };
  EXPECT_LT(waste(16) * 5, waste(1) * 4);
}

TEST(Batches, ASentenceLongerThanTheLimitTravelsAlone) {
  const Corpus corpus = uneven(34);
  Batches batches(corpus, {.sentences = 0, .tokens = 4});
  std::int64_t step = 0;
  for (; batches.epoch_of(step) == 0; ++step) {
    EXPECT_TRUE(batches.at(step).size() == 1 || padded(corpus, batches.at(step)) <= 4);
  }
  EXPECT_GE(step, 30);
}

TEST(Batches, NeedSentencesAndALimit) {
  EXPECT_THROW(Batches(Corpus(), {}), Error);
  const Corpus corpus = uneven(3);
  EXPECT_THROW(Batches(corpus, {.sentences = 0, .tokens = 0}), Error);
}

TEST(Batches, SortedOnesHoldEverythingInOrderOfLength) {
  const Corpus corpus = uneven(50);
  std::vector<std::int64_t> seen;
  for (const auto& batch : sorted_batches(corpus, {.sentences = 7})) {
    EXPECT_LE(batch.size(), 7U);
    seen.insert(seen.end(), batch.begin(), batch.end());
  }
  ASSERT_EQ(seen.size(), 50U);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end(), [&](std::int64_t a, std::int64_t b) {
    return std::max(corpus.source(a).size(), corpus.target(a).size()) <
           std::max(corpus.source(b).size(), corpus.target(b).size());
  }));
}

}  // namespace
}  // namespace heed
