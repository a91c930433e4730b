#include "heed/data/batches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "heed/base/error.h"
#include "heed/data/token_items.h"
#include "tests/base/scratch_directory.h"
#include "tests/data/uneven_corpus.h"

namespace heed::batches_test {
namespace {

using test::uneven;

std::int64_t padded(const Corpus& corpus, const std::vector<std::int64_t>& batch) {
  std::size_t longest = 0;
  for (const std::int64_t i : batch) {
    longest = std::max(
        {longest, ids_of(corpus.source(i)).size() + 1, ids_of(corpus.target(i)).size() + 1});
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

/// In windows of 20 sentences or so, and of a few.
class WindowedBatches : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  ScratchDirectory scratch_;
  Corpus corpus_ = test::uneven_spilled(203, scratch_.path(), GetParam());
};

TEST_P(WindowedBatches, HoldEveryExampleOnceAnEpoch) {
  ASSERT_TRUE(corpus_.is_on_disk());
  ASSERT_LT(corpus_.window(), 100);
  for (const BatchOptions& options : all_options) {
    Batches batches(corpus_, options);
    std::int64_t step = 0;
    std::vector<std::int64_t> before;
    for (std::int64_t epoch = 0; epoch < 4; ++epoch) {
      std::vector<std::int64_t> seen;
      for (; batches.epoch_of(step) == epoch; ++step) {
        const auto batch = batches.at(step);
        ASSERT_FALSE(batch.empty());
        seen.insert(seen.end(), batch.begin(), batch.end());
      }
      EXPECT_NE(seen, before) << "each epoch has its order";
      before = seen;
      std::sort(seen.begin(), seen.end());
      std::vector<std::int64_t> all(203);
      std::iota(all.begin(), all.end(), 0);
      EXPECT_EQ(seen, all) << "epoch " << epoch;
    }
  }
}

TEST_P(WindowedBatches, AreAPureFunctionOfTheStep) {
  for (const BatchOptions& options : all_options) {
    Batches forwards(corpus_, options);
    std::vector<std::vector<std::int64_t>> seen;
    for (std::int64_t step = 0; step < 120; ++step) {
      seen.push_back(forwards.at(step));
    }
    for (const std::int64_t step : {119, 118, 60, 61, 30, 3, 2, 0}) {
      Batches resumed(corpus_, options);
      EXPECT_EQ(resumed.at(step), seen[static_cast<std::size_t>(step)]);
      EXPECT_EQ(resumed.epoch_of(step), forwards.epoch_of(step));
    }
  }
}

TEST_P(WindowedBatches, ComeFromAllOverTheCorpus) {
  Batches batches(corpus_, {.sentences = 2, .tokens = 0, .pool = 1, .seed = 3});
  std::int64_t least = 203;
  std::int64_t most = 0;
  for (std::int64_t step = 0; step < corpus_.window() / 2; ++step) {
    for (const std::int64_t i : batches.at(step)) {
      least = std::min(least, i);
      most = std::max(most, i);
    }
  }
  EXPECT_GT(most - least, 2 * corpus_.window());
}

INSTANTIATE_TEST_SUITE_P(OfMemory, WindowedBatches, ::testing::Values(400, 1000),
                         [](const auto& tested) { return std::to_string(tested.param); });

TEST(Batches, OfACorpusOnDiskThatFitsItsWindowAreThoseInMemory) {
  const ScratchDirectory scratch;
  std::vector<Example> examples;
  std::string source;
  for (int i = 0; i < 200; ++i) {
    source += "s ";
    examples.push_back({source, "t"});
  }
  const Fields words = learn_fields(examples, {});
  const Corpus in_memory(examples, words);
  CorpusWriter writer(words, {}, {scratch.path(), 60'000});  // too little for one of the sides
  for (const Example& example : examples) {
    writer.add(example.source, example.target);
  }
  Corpus on_disk = writer.finish();
  ASSERT_TRUE(on_disk.is_on_disk());
  ASSERT_EQ(on_disk.window(), 200);
  Batches one(in_memory, {.sentences = 0, .tokens = 500});
  Batches two(on_disk, {.sentences = 0, .tokens = 500});
  for (std::int64_t step = 0; step < 100; ++step) {
    EXPECT_EQ(one.at(step), two.at(step));
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
  const std::vector<Example> examples = {{"a b", "c"}, {"", "d"}};
  const Corpus none(examples, learn_fields(examples, {}), {.max_source = 1});
  try {
    Batches batches(none, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "batches: there are no sentence pairs but those left out (1 beyond max_source, 1 "
                 "with an empty side) to train on; give data or widen the length limits");
  }
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
    return std::max(ids_of(corpus.source(a)).size(), ids_of(corpus.target(a)).size()) <
           std::max(ids_of(corpus.source(b)).size(), ids_of(corpus.target(b)).size());
  }));
}

/// As many sentences, and as large a pool, as a number can say: the work is that of the corpus.
TEST(Batches, AbsurdSizesAreAllSentencesAtOnce) {
  const Corpus corpus = uneven(50);
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t sentences : {std::int64_t{50}, std::int64_t{1} << 62, largest}) {
    for (const std::int64_t pool : {std::int64_t{1} << 62, largest}) {
      Batches batches(corpus, {.sentences = sentences, .tokens = 0, .pool = pool});
      EXPECT_EQ(batches.at(0).size(), 50U);
      EXPECT_EQ(batches.epoch_of(1), 1);
    }
  }
}

Curriculum rising_over(std::int64_t steps, double from) {
  Curriculum curriculum;
  curriculum.steps = steps;
  curriculum.from = from;
  return curriculum;
}

/// Every step has examples that are among the shortest, as many as the curriculum says at the first step of its epoch, and
/// each of them once. Behind its end epochs are whole.
void expect_rising(const Corpus& corpus, BatchOptions options) {
  constexpr std::int64_t end = 40;
  options.curriculum = rising_over(end, 0.1);
  Batches batches(corpus, options);
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 0; i < corpus.size(); ++i) {
    lengths.push_back(corpus.longest_side(i));
  }
  std::sort(lengths.begin(), lengths.end());
  std::int64_t step = 0;
  for (std::int64_t epoch = 0; step < end + 60; ++epoch) {
    const std::int64_t first = step;
    std::set<std::int64_t> seen;
    for (; batches.epoch_of(step) == epoch; ++step) {
      const std::int64_t latest =
          corpus.window() < corpus.size() ? step : first;  // a window has its own share
      const double share = options.curriculum.share(latest);
      const auto count =
          static_cast<std::size_t>(std::ceil(share * static_cast<double>(lengths.size())));
      for (const std::int64_t i : batches.at(step)) {
        EXPECT_LE(corpus.longest_side(i), lengths[count - 1]) << "step " << step;
        EXPECT_TRUE(seen.insert(i).second) << "twice in epoch " << epoch;
      }
    }
    EXPECT_GT(step, first) << "epoch " << epoch << " is empty";
    if (first >= end) {
      EXPECT_EQ(static_cast<std::int64_t>(seen.size()), corpus.size());
    } else if (first == 0) {
      EXPECT_LT(static_cast<std::int64_t>(seen.size()), corpus.size());
    }
  }
}

TEST(Batches, ACurriculumBeginsWithShortExamples) {
  const Corpus corpus = uneven(203);
  for (const BatchOptions& options : all_options) {
    expect_rising(corpus, options);
  }
}

TEST_P(WindowedBatches, ACurriculumBeginsWithShortExamples) {
  for (const BatchOptions& options : all_options) {
    expect_rising(corpus_, options);
  }
}

TEST(Batches, ACurriculumIsAPureFunctionOfTheStep) {
  const Corpus corpus = uneven(203);
  for (BatchOptions options : all_options) {
    options.curriculum = rising_over(30, 0.05);
    Batches forwards(corpus, options);
    std::vector<std::vector<std::int64_t>> seen;
    for (std::int64_t step = 0; step < 120; ++step) {
      seen.push_back(forwards.at(step));
    }
    for (const std::int64_t step : {119, 60, 31, 30, 29, 3, 0}) {
      Batches resumed(corpus, options);
      EXPECT_EQ(resumed.at(step), seen[static_cast<std::size_t>(step)]);
      EXPECT_EQ(resumed.epoch_of(step), forwards.epoch_of(step));
    }
  }
}

/// A whole epoch is what `epochs` of a recipe counts.
TEST(Batches, AWholeEpochHasNoCurriculum) {
  const Corpus corpus = uneven(203);
  for (BatchOptions options : all_options) {
    const std::int64_t whole = Batches(corpus, options).in_whole_epoch();
    options.curriculum = rising_over(1000, 0.01);
    EXPECT_EQ(Batches(corpus, options).in_whole_epoch(), whole);
  }
}

/// c(t) = (c₀² + (1 − c₀²) t / T)^½: 0.1 at first, √0.505 half-way.
TEST(Curriculum, SharesAreThoseOfTheFormula) {
  Curriculum curriculum = rising_over(100, 0.1);
  EXPECT_NEAR(curriculum.share(0), 0.1, 1e-12);
  EXPECT_NEAR(curriculum.share(50), 0.710633520177595, 1e-12);
  EXPECT_EQ(curriculum.share(100), 1);
  EXPECT_EQ(curriculum.share(1'000'000'000), 1);
  curriculum.power = 1;
  EXPECT_NEAR(curriculum.share(50), 0.55, 1e-12);
  EXPECT_EQ(Curriculum().share(0), 1) << "there is none unless it is asked for";
}

/// A step of a far epoch is found without counting all epochs before it, if a batch is limited by its
/// sentences alone.
TEST(Batches, AFarStepIsFoundAtOnce) {
  const Corpus corpus = uneven(50);
  Batches batches(corpus, {.sentences = 8, .tokens = 0, .pool = 2, .seed = 3});
  constexpr std::int64_t far = 1'000'000'000'000;
  EXPECT_EQ(batches.epoch_of(7 * far + 6), far);
  BatchOptions rising{.sentences = 8, .tokens = 0, .pool = 2, .seed = 3};
  rising.curriculum = rising_over(20, 0.1);
  EXPECT_GT(Batches(corpus, rising).epoch_of(7 * far), far);  // its first epochs were shorter
  std::vector<std::int64_t> seen;
  for (std::int64_t step = 7 * far; step < 7 * far + 7; ++step) {
    const auto batch = batches.at(step);
    seen.insert(seen.end(), batch.begin(), batch.end());
  }
  std::sort(seen.begin(), seen.end());
  std::vector<std::int64_t> all(50);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(seen, all);
}

}  // namespace
}  // namespace heed::batches_test
