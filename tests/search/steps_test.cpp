// The cost of a search step: traffic between host and device, and rows computed. Sentences that
// join late or leave early, and random draws that depend on their sentence only.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "heed/backend/all/backends.h"
#include "heed/device/out_of_memory.h"
#include "heed/search/search.h"
#include "heed/search/strategies.h"
#include "heed/tensor/tape.h"
#include "tests/model/pairs.h"
#include "tests/search/told_decoder.h"
#include "tests/support/recording_backend.h"

namespace heed::test::steps_test {
namespace {

using Sources = std::vector<std::vector<int32_t>>;

SearchOptions long_beams(int64_t beam) {
  AnyWord options;
  options.beam = beam;
  options.max_length_margin = 30;
  return options;
}

std::shared_ptr<const Remembered> remembered(const Model& model, const Sources& sources) {
  const NoGrad no_grad;
  Pass pass = Pass::serving();
  const Batch batch = batch_of_ids(sources, {}, model.place());
  return std::make_shared<const Remembered>(model.remember(batch.source, pass));
}

Sources sources(size_t count) {
  Sources all;
  for (size_t b = 0; b < count; ++b) {
    all.push_back({3, static_cast<int32_t>(3 + b % 7), 5, 4, static_cast<int32_t>(10 - b % 5)});
  }
  return all;
}

/// The calls of each of some steps while no sentence ends.
std::vector<Recording> steady_steps(size_t sentences, int64_t depth, int64_t ahead) {
  RecordingBackend backend(forced("cpu"), ahead);
  const Place place{&backend, DType::f32};
  const auto model = small_model("gru", "transformer", place,
                                 R"({"decoder": {"depth": )" + std::to_string(depth) + "}}");
  const Scorer decoders[] = {{&model->autoregressive()}};
  const std::shared_ptr<const Remembered> memory[] = {remembered(*model, sources(sentences))};
  Search run(decoders, place, long_beams(3));
  run.admit(memory);
  std::vector<Recording> steps;
  for (int t = 0; t < 3; ++t) {
    run.step();  // one hypothesis becomes three
  }
  backend.take();
  for (int t = 0; t < 4; ++t) {
    run.step();
    steps.push_back(backend.take());
  }
  EXPECT_FALSE(run.is_done());
  return steps;
}

TEST(Steps, CostAsMuchTrafficForManyRowsAsForFew) {
  const auto few = steady_steps(2, 2, 0);
  const auto many = steady_steps(12, 2, 0);
  const auto deep = steady_steps(2, 5, 0);
  for (const auto& all : {few, many, deep}) {
    for (const Recording& one : all) {
      EXPECT_LE(one.uploads, 4);  // words, scores; parents and rows where some moved
      EXPECT_EQ(one.downloads, 1);
    }
  }
  for (size_t t = 0; t < few.size(); ++t) {
    EXPECT_EQ(many[t].copies, few[t].copies);
  }
}

TEST(Steps, NeedNothingFromTheHostUntilItReads) {
  const auto steps = steady_steps(4, 2, 100);
  for (const Recording& one : steps) {
    EXPECT_EQ(one.uploads, 0);
    EXPECT_EQ(one.downloads, 0);
  }
}

/// Two steps that could be one recorded graph: the same calls with the same arguments, whichever
/// position they stand at.
TEST(Steps, MakeTheSameCallsAtEveryPosition) {
  for (const auto& steps : {steady_steps(4, 2, 100), steady_steps(2, 5, 100)}) {
    for (size_t t = 1; t < steps.size(); ++t) {
      EXPECT_EQ(first_difference(steps[0], steps[t]), "") << "at step " << t;
    }
    EXPECT_GT(steps[0].calls.size(), 50U);
  }
}

TEST(Steps, FindTheSameHoweverLateTheHostReads) {
  const Sources some = sources(6);
  for (const std::string strategy : {"beam", "sample", "diverse"}) {
    SearchOptions options = long_beams(4);
    options.strategy = strategy;
    options.n_best = 3;
    options.strategies.set("diverse", 2);
    options.weights = true;
    std::vector<std::vector<std::vector<Hypothesis>>> found;
    for (const int64_t ahead : {0, 1, 3, 50}) {
      RecordingBackend backend(forced("cpu"), ahead);
      const auto model = small_model("gru", "transformer", {&backend, DType::f32});
      found.push_back(search(*model, batch_of_ids(some, {}, model->place()), options));
    }
    for (size_t other = 1; other < found.size(); ++other) {
      for (size_t b = 0; b < some.size(); ++b) {
        ASSERT_EQ(found[other][b].size(), found[0][b].size()) << strategy;
        for (size_t n = 0; n < found[0][b].size(); ++n) {
          EXPECT_EQ(found[other][b][n].ids, found[0][b][n].ids) << strategy;
          EXPECT_NEAR(found[other][b][n].score, found[0][b][n].score, 1e-5) << strategy;
          EXPECT_EQ(found[other][b][n].weights.size(), found[0][b][n].weights.size());
        }
      }
    }
  }
}

/// The number of steps of a hypothesis: one for each word, and one for its end.
int64_t fed(const Hypothesis& hypothesis) {
  return static_cast<int64_t>(hypothesis.ids.size()) + (hypothesis.ended ? 1 : 0);
}

/// Where hypotheses do not compete, step t computes the rows of those that have more than t words.
TEST(Rows, AreThoseOfHypothesesUnderWay) {
  for (const std::string strategy : {"beam", "sample"}) {
    const ToldDecoder decoder(4, 9, 2);
    AnyWord options;
    options.strategy = strategy;
    options.n_best = strategy == "sample" ? 5 : 1;
    options.max_length = 12;
    const Scorer members[] = {decoder.member(7)};
    const auto found = search(members, {}, ToldDecoder::place(), options);
    std::vector<int64_t> expected;
    for (int64_t t = 0; t < 12; ++t) {
      int64_t rows = 0;
      for (const auto& sentence : found) {
        rows += std::count_if(sentence.begin(), sentence.end(),
                              [t](const Hypothesis& one) { return fed(one) > t; });
      }
      if (rows > 0) {
        expected.push_back(rows);
      }
    }
    EXPECT_EQ(decoder.rows(), expected) << strategy;
  }
}

/// What the search before tensors computed, step by step: ToldDecoder(2, 9, 2), 6 sentences, beam 3.
TEST(Rows, OfABeamAreNoMoreThanTheyWere) {
  const ToldDecoder decoder(2, 9, 2);
  AnyWord options;
  options.beam = 3;
  options.max_length = 12;
  const Scorer members[] = {decoder.member(6)};
  search(members, {}, ToldDecoder::place(), options);
  const std::vector<int64_t> before = {6, 18, 18, 18, 15, 15, 15, 12, 9, 6};
  EXPECT_EQ(decoder.rows(), before);
}

/// What a search of many sentences computes on a device that is so many steps ahead of its host.
struct Ran {
  std::vector<int64_t> rows;  // of each step
  Recording made;
  std::vector<std::vector<Hypothesis>> found;
};

Ran ran(int64_t ahead, int64_t sentences, int64_t beam, uint64_t seed = 4) {
  RecordingBackend backend(forced("cpu"), ahead);
  const Place place{&backend, DType::f32};
  const ToldDecoder decoder(seed, 9, 2, place);
  AnyWord options;
  options.beam = beam;
  options.max_length = 16;
  const Scorer members[] = {decoder.member(sentences)};
  Ran out;
  out.found = search(members, {}, place, options);
  out.rows = decoder.rows();
  out.made = backend.take();
  return out;
}

/// The host knows of a step's ends when the next one runs, and drops rows when a quarter is idle.
TEST(Ahead, ByOneStepComputesAThirdMoreRowsThanTheStepBeforeAtMost) {
  for (const int64_t beam : {1, 3}) {
    const Ran at_once = ran(0, 40, beam);
    const Ran later = ran(1, 40, beam);
    ASSERT_LE(later.rows.size(), at_once.rows.size() + 1);
    EXPECT_GT(later.rows, at_once.rows) << "some were computed once more";
    for (size_t t = 2; t < later.rows.size(); ++t) {
      EXPECT_LE(3 * later.rows[t], 4 * at_once.rows[t - 1]) << "step " << t;
    }
    EXPECT_LT(later.made.uploads, at_once.made.uploads);
    ASSERT_EQ(later.found.size(), at_once.found.size());
    for (size_t s = 0; s < later.found.size(); ++s) {
      EXPECT_EQ(later.found[s][0].ids, at_once.found[s][0].ids);
    }
  }
}

TEST(Ahead, ByOneStepCostsShortSentencesOneStepMore) {
  constexpr size_t searches = 8;
  const auto steps = [](int64_t ahead) {
    size_t all = 0;
    for (uint64_t seed = 0; seed < searches; ++seed) {
      all += ran(ahead, 3, 1, seed).rows.size();
    }
    return all;
  };
  EXPECT_LE(steps(1), steps(0) + searches);
  EXPECT_EQ(steps(64), 16 * searches) << "to the last word of the longest that there may be";
  EXPECT_LT(steps(1), 16 * searches);
}

/// A sentence that has ended can be taken while its rows are still there.
TEST(Ahead, WhatHasEndedIsTakenAtOnce) {
  RecordingBackend backend(forced("cpu"), 1);
  const Place place{&backend, DType::f32};
  const ToldDecoder decoder(4, 9, 2, place);
  AnyWord options;
  options.max_length = 16;
  const Scorer member = decoder.member(40);
  const Scorer decoders[] = {{&decoder}};
  Search run(decoders, place, options);
  run.admit({&member.memory, 1});
  std::vector<std::vector<Hypothesis>> found(40);
  while (!run.is_done()) {
    run.step();
    for (int64_t s = 0; s < 40; ++s) {
      std::vector<Hypothesis>& own = found[static_cast<size_t>(s)];
      if (own.empty() && run.is_done(s)) {
        own = run.take(s);
        EXPECT_THROW(run.take(s), Error);
      }
    }
  }
  const Ran at_once = ran(0, 40, options.beam);
  for (size_t s = 0; s < found.size(); ++s) {
    EXPECT_EQ(found[s][0].ids, at_once.found[s][0].ids);
  }
}

TEST(Admission, InTheMiddleFindsWhatASearchAloneFinds) {
  const Place place{&forced("far"), DType::f32};
  const Sources all = {{3, 4, 5, 6}, {7}, {8, 9, 10, 3, 3, 3, 5, 4, 3}};
  for (const std::string& name : autoregressive_decoders()) {
    for (const auto& strategy : strategies()) {
      const auto model = small_model("gru", name, place);
      SearchOptions options = long_beams(4);
      options.max_length_margin = 8;
      options.strategy = strategy.name;
      options.strategies.set("diverse", 2);
      options.n_best = 2;
      const Scorer decoder[] = {{&model->autoregressive()}};
      Search run(decoder, place, options);
      std::vector<std::vector<Hypothesis>> found;
      for (size_t b = 0; b < all.size(); ++b) {
        const std::shared_ptr<const Remembered> memory[] = {remembered(*model, {all[b]})};
        const std::vector<SentenceOptions> own = {{.number = static_cast<int64_t>(b)}};
        EXPECT_EQ(run.admit(memory, own), static_cast<int64_t>(b));
        for (int t = 0; t < 3 && !run.is_done(); ++t) {
          run.step();
        }
      }
      while (!run.is_done()) {
        run.step();
      }
      const Model* one[] = {model.get()};
      for (size_t b = 0; b < all.size(); ++b) {
        const std::vector<SentenceOptions> own = {{.number = static_cast<int64_t>(b)}};
        const auto alone = search(one, batch_of_ids({all[b]}, {}, place), own, options)[0];
        const auto joined = run.take(static_cast<int64_t>(b));
        ASSERT_EQ(joined.size(), alone.size()) << name << ' ' << strategy.name;
        for (size_t n = 0; n < alone.size(); ++n) {
          EXPECT_EQ(joined[n].ids, alone[n].ids) << name << ' ' << strategy.name << ' ' << b;
          EXPECT_NEAR(joined[n].score, alone[n].score, 1e-4) << name << ' ' << strategy.name;
        }
      }
    }
  }
}

/// In a search of 64 rows sentences of 20 words leave at every step, and others join, about three at a time; room that
/// doubles at times is counted, too. The vocabulary is to the width as 16 000 words are to 512.
TEST(Admission, WritesATwentiethOfAStep) {
  constexpr int64_t words = 20;
  RecordingBackend backend(forced("cpu"));
  const Place place{&backend, DType::f32};
  auto model = std::make_unique<Model>();
  apply(*model, parse_json(R"({"embedding": 64, "encoder": {"kind": "gru", "width": 64},
                               "decoder": {"kind": "transformer", "width": 64, "depth": 3}})",
                           "test"));
  Init init(place, 21);
  model->build(RowForm::ids(source_words), RowForm::ids(2000), init);
  const Scorer decoders[] = {{&model->autoregressive()}};
  AnyWord options;
  options.max_length = words;
  Search run(decoders, place, options);
  const auto admit = [&](size_t count) {
    const std::shared_ptr<const Remembered> memory[] = {
        remembered(*model, Sources(count, std::vector<int32_t>(words, 5)))};
    std::vector<SentenceOptions> own(count);
    for (SentenceOptions& one : own) {
      one.prefix.assign(words, 4);  // none ends before
    }
    backend.take();
    run.admit(memory, own);
    return backend.take().written;
  };
  int64_t by_steps = 0;
  int64_t by_joins = 0;
  int64_t joins = 0;
  for (int t = 0; t < 100; ++t) {
    const int64_t here = 64 / words + (t % 5 == 0 ? 1 : 0);
    by_joins += admit(static_cast<size_t>(here));
    joins += here;
    backend.take();
    run.step();
    by_steps += backend.take().written;
  }
  const double share = static_cast<double>(by_joins) / static_cast<double>(joins) /
                       (static_cast<double>(by_steps) / 100);
  EXPECT_LT(share, 0.05) << joins << " joins";
}

/// The most memory in use while sentences of 200 words that come at these steps are searched, of which
/// some may be refused; and what the first of them finds.
struct Filled {
  int64_t peak = 0;
  int refused = 0;
  std::vector<Hypothesis> first;
};
Filled filled(const std::vector<int>& come_at, int64_t limit) {
  const std::unique_ptr<Backend> own = make_backend("cpu");
  own->allocator().set_limit(limit);
  const Place place{own.get(), DType::f32};
  const auto model = small_model("gru", "transformer", place, R"({"decoder": {"depth": 3}})");
  const Scorer decoders[] = {{&model->autoregressive()}};
  SearchOptions options = long_beams(4);
  options.max_length_margin = 200;
  Search run(decoders, place, options);
  std::vector<SentenceOptions> sentence(1);
  sentence[0].prefix.assign(180, 5);
  Filled out;
  for (int step = 0; step == 0 || !run.is_done(); ++step) {
    for (const int one : come_at) {
      try {
        if (one == step) {
          const std::shared_ptr<const Remembered> memory[] = {remembered(*model, sources(1))};
          run.admit(memory, sentence);
        }
      } catch (const OutOfMemory&) {
        ++out.refused;
      }
    }
    run.step();
  }
  out.peak = own->allocator().statistics().peak_bytes;
  out.first = run.take(0);
  return out;
}

TEST(Admission, WithoutRoomLeavesTheOthersAlone) {
  std::vector<int> many;
  for (int step = 0; step < 24; step += 2) {
    many.push_back(step);
  }
  const Filled alone = filled({0}, 0);
  const Filled all = filled(many, 0);
  EXPECT_EQ(all.refused, 0);
  const Filled some = filled(many, (alone.peak + all.peak) / 2);
  EXPECT_GT(some.refused, 0) << "there is no room for all at their ends";
  EXPECT_LT(some.refused, static_cast<int>(many.size()) - 1) << "but for some";
  ASSERT_EQ(some.first.size(), alone.first.size());
  EXPECT_EQ(some.first[0].ids, alone.first[0].ids);
}

TEST(Cancelling, LeavesTheOthersAlone) {
  const ToldDecoder decoder(5, 9);
  AnyWord options;
  options.beam = 2;
  options.max_length = 10;
  const Scorer members[] = {decoder.member(3)};
  const auto whole = search(members, {}, ToldDecoder::place(), options);
  const Scorer decoders[] = {{&decoder}};
  Search run(decoders, ToldDecoder::place(), options);
  run.admit({&members[0].memory, 1});
  run.step();
  run.cancel(1);
  EXPECT_TRUE(run.is_done(1));
  EXPECT_FALSE(run.is_done(0));
  run.step();
  EXPECT_EQ(decoder.rows().back(), 4);
  while (!run.is_done()) {
    run.step();
  }
  EXPECT_EQ(run.take(0)[0].ids, whole[0][0].ids);
  EXPECT_EQ(run.take(2)[0].ids, whole[2][0].ids);
  for (const Hypothesis& one : run.take(1)) {
    EXPECT_TRUE(one.ended) << "what it had finished, nothing that was cut";
  }
  EXPECT_THROW(run.take(0), Error);
}

TEST(Seeds, MayBeASentencesOwn) {
  const ToldDecoder decoder(13, 30);
  AnyWord options;
  options.strategy = "sample";
  options.max_length = 8;
  const Scorer members[] = {decoder.member(1)};
  const auto draw = [&](uint64_t seed, std::optional<uint64_t> own) {
    options.seed = seed;
    const std::vector<SentenceOptions> sentence = {{.number = 3, .seed = own}};
    return search(members, sentence, ToldDecoder::place(), options)[0][0].ids;
  };
  EXPECT_EQ(draw(1, 9), draw(9, {}));
  EXPECT_NE(draw(1, 9), draw(1, {}));
}

/// The slot that each word of the first hypothesis looked at.
std::vector<size_t> looked_at(const Hypothesis& hypothesis) {
  std::vector<size_t> slots;
  for (const auto& row : hypothesis.weights) {
    slots.push_back(static_cast<size_t>(std::max_element(row.begin(), row.end()) - row.begin()));
  }
  return slots;
}

TEST(HardAttention, DrawsAnewAtEveryStepByItsSentenceAlone) {
  const Place place{&forced("far"), DType::f32};
  const std::string hard =
      R"({"decoder": {"attention": {"normaliser": {"kind": "hard", "decode": "sample"}}}})";
  const auto model = small_model("gru", "attend_after", place, hard);
  const Model* one[] = {model.get()};
  AnyWord options;
  options.weights = true;
  options.max_length_margin = 30;
  const Sources both = {{3, 4, 5, 6, 7, 8}, {9, 10, 3, 4, 5, 6, 7, 8, 9, 3, 4}};
  const auto find = [&](const Sources& sources, std::vector<int64_t> numbers, uint64_t seed) {
    options.seed = seed;
    std::vector<SentenceOptions> own;
    for (const int64_t number : numbers) {
      own.push_back({.number = number, .prefix = {3, 4, 5, 6, 7, 8, 3, 4, 5, 6, 7, 8}});
    }
    return search(one, batch_of_ids(sources, {}, place), own, options);
  };
  const auto alone = looked_at(find({both[0]}, {0}, 1)[0][0]);
  EXPECT_GT(std::set(alone.begin(), alone.end()).size(), 2U) << "another slot at another step";
  EXPECT_EQ(looked_at(find(both, {0, 1}, 1)[0][0]), alone) << "whatever the batch";
  EXPECT_EQ(looked_at(find({both[1], both[0]}, {1, 0}, 1)[1][0]), alone);
  EXPECT_NE(looked_at(find({both[0]}, {0}, 2)[0][0]), alone) << "another seed";
  EXPECT_NE(looked_at(find({both[0]}, {5}, 1)[0][0]), alone) << "another sentence";
}

}  // namespace
}  // namespace heed::test::steps_test
