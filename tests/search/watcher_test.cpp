// Watchers of a search: what they hear is what the search does, and that they listen changes nothing.
#include "heed/search/watcher.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "heed/attention/attend_within.h"
#include "heed/search/search.h"
#include "heed/search/strategies.h"
#include "heed/tensor/tape.h"
#include "tests/model/pairs.h"
#include "tests/search/told_decoder.h"
#include "tests/support/recording_backend.h"

namespace heed::test::watcher_test {
namespace {

using Words = std::vector<int32_t>;

class Listener : public Watcher {
 public:
  explicit Listener(WatchWish wish = {}) : wish_(std::move(wish)) {}
  WatchWish wish() const override { return wish_; }
  void hear(const WatchedStep& step) override { heard.push_back(step); }

  std::vector<WatchedStep> heard;

 private:
  WatchWish wish_;
};

const std::vector<Words> sources = {{3, 4, 5, 6}, {7}, {8, 9, 10, 3, 3, 3}};

std::shared_ptr<const Remembered> remembered(const Model& model, const std::vector<Words>& some) {
  const NoGrad no_grad;
  Pass pass = Pass::serving();
  return std::make_shared<const Remembered>(
      model.remember(batch_of_ids(some, {}, model.place()).source, pass));
}

SearchOptions wide(const std::string& strategy) {
  AnyWord options;
  options.strategy = strategy;
  options.beam = 4;
  options.strategies.set("diverse", 2);
  options.n_best = 3;
  options.max_length_margin = 5;
  return options;
}

/// What is found while the sentences that have a watcher are watched.
std::vector<std::vector<Hypothesis>> found(const Model& model, const SearchOptions& options,
                                           const std::vector<Watcher*>& watchers) {
  const Scorer decoder[] = {{&model.autoregressive()}};
  const std::shared_ptr<const Remembered> memory[] = {remembered(model, sources)};
  Search run(decoder, model.place(), options);
  std::vector<SentenceOptions> own(sources.size());
  own[0].number = 5;
  own[0].phrases = {{5, 4}};
  own[1].prefix = {3, 4};
  run.admit(memory, own);
  for (size_t s = 0; s < watchers.size(); ++s) {
    run.watch(static_cast<int64_t>(s), watchers[s]);
  }
  while (!run.is_done()) {
    run.step();
  }
  std::vector<std::vector<Hypothesis>> all;
  for (size_t s = 0; s < sources.size(); ++s) {
    all.push_back(run.take(static_cast<int64_t>(s)));
  }
  return all;
}

WatchWish everything() {
  return {.rivals = 3, .source = {{}, {0, 0}, {7, 0}, {0, 7}}, .self = {{0, 0}, {}, {9, 9}}};
}

class Watching : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Decoders, Watching, ::testing::ValuesIn(autoregressive_decoders()),
                         [](const auto& info) { return info.param; });

TEST_P(Watching, ChangesNoBit) {
  for (const char* backend : {"reference", "cpu", "far"}) {
    const auto model = small_model("gru", GetParam(), {&forced(backend), DType::f32});
    for (const auto& strategy : strategies()) {
      SCOPED_TRACE(std::string(backend) + ", " + strategy.name);
      const auto alone = found(*model, wide(strategy.name), {});
      Listener first(everything());
      Listener third(everything());
      const auto watched = found(*model, wide(strategy.name), {&first, nullptr, &third});
      EXPECT_FALSE(first.heard.empty() || third.heard.empty());
      for (size_t s = 0; s < alone.size(); ++s) {
        ASSERT_EQ(watched[s].size(), alone[s].size());
        for (size_t n = 0; n < alone[s].size(); ++n) {
          EXPECT_EQ(watched[s][n].ids, alone[s][n].ids);
          EXPECT_EQ(watched[s][n].score, alone[s][n].score);
          EXPECT_EQ(watched[s][n].log_probability, alone[s][n].log_probability);
        }
      }
    }
  }
}

/// The words from the root to a node.
Words words_of(const std::map<int32_t, WatchedContinuation>& tree, int32_t node) {
  Words words;
  for (; node != 0; node = tree.at(node).parent) {
    words.insert(words.begin(), tree.at(node).word);
  }
  return words;
}

/// What is found can be put together from what was heard.
TEST_P(Watching, HearsTheTreeGrow) {
  const auto model = small_model("gru", GetParam(), {&forced("cpu"), DType::f32});
  for (const auto& strategy : strategies()) {
    SCOPED_TRACE(strategy.name);
    Listener listener;
    const auto best = found(*model, wide(strategy.name), {nullptr, &listener})[1];
    std::map<size_t, std::map<int32_t, WatchedContinuation>> trees;
    std::map<size_t, std::vector<int32_t>> live;
    std::vector<std::tuple<Words, double, double>> ends;
    size_t pruned = 0;
    for (const WatchedStep& step : listener.heard) {
      EXPECT_EQ(step.sentence, 1);
      auto& tree = trees[step.beam];
      Words from;
      for (const WatchedHypothesis& one : step.from) {
        from.push_back(one.node);
        EXPECT_EQ(words_of(tree, one.node).size(), static_cast<size_t>(step.words));
      }
      EXPECT_EQ(from, step.words == 0 ? Words{0} : live[step.beam]) << "those that were kept";
      live[step.beam].clear();
      for (const WatchedContinuation& one : step.continuations) {
        pruned += one.fate == Fate::pruned ? 1 : 0;
        if (one.fate == Fate::kept || one.fate == Fate::cut) {
          EXPECT_TRUE(tree.emplace(one.node, one).second);
        }
        if (one.fate == Fate::kept) {
          live[step.beam].push_back(one.node);
        } else if (one.fate != Fate::pruned) {
          const int32_t last = one.fate == Fate::cut ? one.node : one.parent;
          ends.emplace_back(words_of(tree, last), one.log_probability, one.score);
        }
      }
    }
    ASSERT_FALSE(best.empty());
    for (const Hypothesis& one : best) {
      EXPECT_NE(
          std::find(ends.begin(), ends.end(), std::tuple(one.ids, one.log_probability, one.score)),
          ends.end());
    }
    EXPECT_TRUE(pruned > 0 || strategy.name == "sample");
  }
}

TEST_P(Watching, HearsTheRowsOfWeightsThatItAskedFor) {
  const auto model = small_model("gru", GetParam(), {&forced("cpu"), DType::f32});
  const bool has_self = GetParam() == "transformer";
  SearchOptions options = wide("beam");
  options.beam = options.n_best = 1;
  options.weights = true;
  Listener listener(everything());
  const Hypothesis best = found(*model, options, {&listener})[0][0];
  ASSERT_EQ(listener.heard.size(), best.ids.size() + (best.ended ? 1 : 0));
  for (size_t t = 0; t < listener.heard.size(); ++t) {
    ASSERT_EQ(listener.heard[t].from.size(), 1U);
    const WatchedHypothesis& one = listener.heard[t].from[0];
    ASSERT_EQ(one.source.size(), 4U);
    ASSERT_EQ(one.self.size(), 3U);
    if (!best.weights.empty()) {
      EXPECT_EQ(one.source[0], best.weights[t]);
      EXPECT_EQ(one.source[1].size(), sources[0].size() + 1);
    }
    EXPECT_TRUE(one.source[2].empty() && one.source[3].empty()) << "there is none";
    EXPECT_EQ(one.self[0].size(), has_self ? t + 1 : 0);
    EXPECT_TRUE(one.self[2].empty());
    if (has_self) {
      EXPECT_NEAR(std::accumulate(one.self[0].begin(), one.self[0].end(), 0.0), 1, 1e-5);
    }
  }
}

TEST(Rivals, AreTheLikeliestWordsThatMayBeSaid) {
  const ToldDecoder decoder(4, 9, 2);
  AnyWord options;
  options.beam = 3;
  options.max_length = 4;
  const Scorer member = decoder.member(1);
  const Scorer scorer[] = {{&decoder}};
  for (const bool is_sampled : {false, true}) {
    options.strategy = is_sampled ? "sample" : "beam";
    Search run(scorer, ToldDecoder::place(), options);
    run.admit({&member.memory, 1});
    Listener listener({.rivals = 4});
    run.watch(0, &listener);
    while (!run.is_done()) {
      run.step();
    }
    std::map<int32_t, WatchedContinuation> tree;
    for (const WatchedStep& step : listener.heard) {
      for (const WatchedHypothesis& one : step.from) {
        auto log_p = decoder.log_probabilities(0, words_of(tree, one.node));
        log_p[static_cast<size_t>(decoder.specials().start())] = -1e9;
        ASSERT_EQ(one.rivals.size(), 4U);
        std::vector<double> ordered = log_p;
        std::sort(ordered.rbegin(), ordered.rend());
        for (size_t i = 0; i < 4; ++i) {
          EXPECT_NEAR(one.rivals[i].log_probability, ordered[i], 1e-5);
          EXPECT_NEAR(log_p[static_cast<size_t>(one.rivals[i].word)], ordered[i], 1e-5);
        }
      }
      for (const WatchedContinuation& one : step.continuations) {
        tree.emplace(one.node, one);
      }
    }
  }
}

TEST(WatchingADevice, HearsTheSameHoweverLateTheHostReads) {
  std::vector<std::vector<WatchedStep>> heard;
  for (const int64_t ahead : {0, 1, 3, 50}) {
    RecordingBackend backend(forced("cpu"), ahead);
    const auto model = small_model("gru", "transformer", {&backend, DType::f32});
    Listener listener(everything());
    found(*model, wide("beam"), {nullptr, nullptr, &listener});
    heard.push_back(listener.heard);
  }
  for (const auto& other : heard) {
    ASSERT_EQ(other.size(), heard[0].size());
    for (size_t t = 0; t < other.size(); ++t) {
      ASSERT_EQ(other[t].from.size(), heard[0][t].from.size());
      for (size_t h = 0; h < other[t].from.size(); ++h) {
        const WatchedHypothesis& a = other[t].from[h];
        const WatchedHypothesis& b = heard[0][t].from[h];
        EXPECT_EQ(a.node, b.node);
        ASSERT_EQ(a.rivals.size(), b.rivals.size());
        EXPECT_EQ(a.rivals[0].word, b.rivals[0].word);
        ASSERT_EQ(a.self[0].size(), b.self[0].size());
        EXPECT_NEAR(a.self[0][0], b.self[0][0], 1e-5);
        EXPECT_NEAR(a.source[0][0], b.source[0][0], 1e-5);
      }
    }
  }
}

/// With nobody listening any more a step makes the calls that it made before anybody did.
TEST(WatchingADevice, ByNobodyCostsNothing) {
  RecordingBackend backend(forced("cpu"), 100);
  const auto model = small_model("gru", "transformer", {&backend, DType::f32});
  const Scorer decoder[] = {{&model->autoregressive()}};
  const std::shared_ptr<const Remembered> memory[] = {remembered(*model, sources)};
  SearchOptions options = wide("beam");
  options.max_length_margin = 30;
  Search run(decoder, model->place(), options);
  run.admit(memory);
  const auto next_step = [&] {
    backend.take();
    run.step();
    return backend.take();
  };
  for (int t = 0; t < 3; ++t) {
    run.step();
  }
  const Recording before = next_step();
  Listener listener(everything());
  run.watch(1, &listener);
  const Recording during = next_step();
  run.watch(1, nullptr);
  next_step();  // the host has read: it arranges the rows again
  const Recording after = next_step();
  ASSERT_FALSE(run.is_done());
  EXPECT_EQ(first_difference(before, after), "");
  EXPECT_NE(first_difference(before, during), "");
  EXPECT_EQ(listener.heard.size(), 1U);
}

/// Self-attention is asked for in one pass, whatever else the thread computes.
TEST(SelfWeights, AreThoseOfTheirPass) {
  const NoGrad no_grad;
  const auto model = small_model("transformer", "transformer", {&forced("cpu"), DType::f32});
  const Batch batch = batch_of_ids(sources, {}, model->place());
  Pass watched = Pass::serving();
  Pass other = Pass::serving();
  const SelfWeights weights(watched);
  model->encode(batch.source, other);
  EXPECT_TRUE(weights.blocks().empty());
  model->encode(batch.source, watched);
  EXPECT_FALSE(weights.blocks().empty());
}

}  // namespace
}  // namespace heed::test::watcher_test
