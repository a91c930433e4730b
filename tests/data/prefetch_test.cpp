#include "heed/data/prefetch.h"

#include <gtest/gtest.h>

#include <thread>

#include "heed/base/error.h"
#include "heed/config/apply.h"
#include "heed/data/examples.h"
#include "heed/data/learn_fields.h"
#include "tests/data/uneven_corpus.h"
#include "tests/support/backends.h"

namespace heed::prefetch_test {
namespace {

Place here() { return {&test::forced("reference"), DType::f32}; }

std::vector<std::byte> bytes_of(const HostArray& values) {
  return {values.bytes().begin(), values.bytes().end()};
}

/// What is ready to be uploaded of a batch: source, fed words, right words.
std::vector<std::vector<std::byte>> bytes_of(const HostBatch& batch) {
  return {bytes_of(batch.source.values), bytes_of(batch.target_in.values),
          bytes_of(batch.target_out)};
}

TEST(PrefetchedBatches, AreTheBatches) {
  const Corpus corpus = test::uneven(150);
  const BatchOptions options{.sentences = 0, .tokens = 64, .pool = 4, .seed = 3};
  Batches plain(corpus, options);
  PrefetchedBatches prefetched(corpus, options, here());
  // First forwards, as in a run, then in any order.
  for (const std::int64_t step : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 80, 81, 3, 4, 3, 0}) {
    const StepBatch seen = prefetched.at(step);
    const HostBatch expected = collate(corpus.items(plain.at(step)), here());
    EXPECT_EQ(bytes_of(seen.batch), bytes_of(expected)) << step;
    EXPECT_EQ(seen.batch.source.lengths, expected.source.lengths) << step;
    EXPECT_EQ(seen.batch.examples, expected.examples) << step;
    EXPECT_EQ(seen.epoch, plain.epoch_of(step));
  }
}

TEST(PrefetchedBatches, KeepUpWithQuickAndSlowSteps) {
  const Corpus corpus = test::uneven(60);
  const BatchOptions options{.sentences = 4, .tokens = 0, .pool = 2, .seed = 1};
  Batches plain(corpus, options);
  PrefetchedBatches prefetched(corpus, options, here());
  for (std::int64_t step = 7; step < 300; ++step) {
    EXPECT_EQ(bytes_of(prefetched.at(step).batch),
              bytes_of(collate(corpus.items(plain.at(step)), here())));
    if (step % 50 == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
}

/// Examples that change at random: a batch depends on corpus, options and step, never on how many
/// threads made it ready.
TEST(PrefetchedBatches, AreTheSameBitsForAnyNumberOfThreads) {
  FieldChoice choice;
  apply(choice, parse_json(R"({"source": {"kind": "features", "width": 8, "noise": 0.1,
                               "masks": 1, "mask_rows": 2}})",
                           "test"));
  const std::vector<Example> examples = made_up_examples({.task = "signals", .count = 90});
  Cells cells;
  for (const Example& example : examples) {
    cells.add(example.source, example.target);
  }
  cells.finish();
  const Corpus corpus(examples, learn_fields(choice.made(), cells, {.target = "characters"}));
  const auto seen = [&corpus](std::int64_t threads) {
    PrefetchedBatches batches(corpus, {.sentences = 8, .seed = 3, .threads = threads}, here());
    std::vector<std::vector<std::vector<std::byte>>> all;
    for (std::int64_t step = 0; step < 40; ++step) {
      all.push_back(bytes_of(batches.at(step).batch));
    }
    return all;
  };
  const auto expected = seen(1);
  EXPECT_EQ(seen(2), expected);
  EXPECT_EQ(seen(7), expected);
  Batches plain(corpus, {.sentences = 8, .seed = 3});
  EXPECT_NE(bytes_of(collate(corpus.items(plain.at(0)), here())), expected[0])
      << "training changes what it sees";
  EXPECT_EQ(bytes_of(collate(corpus.items(plain.at(0), EpochKey{3, 0}), here())), expected[0]);
}

TEST(PrefetchedBatches, EndUnasked) {
  const Corpus corpus = test::uneven(60);
  const PrefetchedBatches never_used(corpus, {.sentences = 4}, here());
  PrefetchedBatches used(corpus, {.sentences = 4}, here());
  used.at(0);
}

TEST(PrefetchedBatches, ThrowWhereTheyAreAskedFor) {
  const Corpus corpus = test::uneven(10);
  PrefetchedBatches batches(corpus, {.sentences = 4}, here());
  EXPECT_EQ(batches.at(0).epoch, 0);
  EXPECT_THROW(batches.at(-1), Error);
  EXPECT_EQ(batches.at(3).epoch, 1);
  EXPECT_THROW(PrefetchedBatches(Corpus(), {}, here()), Error);
}

}  // namespace
}  // namespace heed::prefetch_test
