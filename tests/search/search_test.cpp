// Beam search against exhaustive search on a model small enough to enumerate, and what it promises.
#include "heed/search/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/ops/gather.h"
#include "heed/ops/softmax.h"
#include "heed/search/hypothesis_score.h"
#include "heed/search/strategies.h"
#include "heed/tensor/tape.h"
#include "heed/text/vocabulary.h"
#include "tests/model/pairs.h"
#include "tests/support/tolerance.h"

namespace heed::test::search_test {
namespace {

Batch sources_of(const std::vector<std::vector<int32_t>>& sources, const Place& place) {
  return batch_of_ids(sources, {}, place);
}

double log_probability(const Model& model, const std::vector<int32_t>& source,
                       const std::vector<int32_t>& target) {
  const NoGrad no_grad;
  const Batch batch = batch_of_ids({source}, {target}, model.place());
  Pass pass = Pass::serving();
  double total = 0;
  const Tensor logits = model.teach(batch, {}, pass).logits;
  for (const double log_p : pick(log_softmax(logits), batch.target_out).values()) {
    total += log_p;
  }
  return total;
}

class Searches : public ::testing::TestWithParam<std::string> {};

TEST_P(Searches, AWideBeamFindsWhatEnumerationFinds) {
  const Place place{&forced("far"), DType::f32};
  const auto model = small_model("gru", GetParam(), place);
  const std::vector<int32_t> source = {3, 4, 5};
  SearchOptions options;
  options.beam = 64;
  options.n_best = 64;
  options.length_norm = "none";
  options.max_length_factor = 0;
  options.max_length_margin =
      2;  // at most two words: 1 + 8 + 64 sentences, the last cut without an end
  const auto found = search(*model, sources_of({source}, place), options)[0];
  std::vector<double> ended = {log_probability(*model, source, {})};
  for (int32_t a = 1; a < target_words; ++a) {
    if (a != SpecialTokens().start()) {
      ended.push_back(log_probability(*model, source, {a}));
    }
  }
  std::sort(ended.rbegin(), ended.rend());
  std::vector<double> got;
  for (const Hypothesis& hypothesis : found) {
    // Search and teaching give a sentence the same log-probability.
    if (hypothesis.ended) {
      EXPECT_NEAR(hypothesis.log_probability, log_probability(*model, source, hypothesis.ids),
                  1e-4);
      got.push_back(hypothesis.log_probability);
    }
  }
  ASSERT_FALSE(got.empty());
  EXPECT_NEAR(got.front(), ended.front(), 1e-4);
}

/// For every strategy: the result of a sentence does not depend on its batch, and search and
/// teaching give it the same log-probability.
TEST_P(Searches, BatchesDoNotShow) {
  const Place place{&forced("cpu"), DType::f32};
  const auto model = small_model("lstm", GetParam(), place);
  const Model* models[] = {model.get()};
  const std::vector<std::vector<int32_t>> sources = {{3, 4, 5, 6}, {7}, {8, 9, 10, 3, 3, 3}};
  const std::vector<SentenceOptions> sentences = {
      {.number = 4, .phrases = {{5, 4}}}, {.number = 9, .prefix = {3}}, {.number = 1}};
  for (const auto& strategy : strategies()) {
    SCOPED_TRACE(strategy.name);
    SearchOptions options;
    options.strategy = strategy.name;
    options.beam = 4;
    options.n_best = 3;
    options.strategies.set("diverse", 2);
    options.weights = true;
    options.max_length_margin = 4;
    const auto together = search(models, sources_of(sources, place), sentences, options);
    for (size_t b = 0; b < sources.size(); ++b) {
      const auto alone =
          search(models, sources_of({sources[b]}, place), {&sentences[b], 1}, options)[0];
      ASSERT_EQ(alone.size(), together[b].size());
      for (size_t n = 0; n < alone.size(); ++n) {
        EXPECT_EQ(alone[n].ids, together[b][n].ids);
        EXPECT_NEAR(alone[n].score, together[b][n].score, 1e-4);
        if (alone[n].ended) {
          EXPECT_NEAR(alone[n].log_probability, log_probability(*model, sources[b], alone[n].ids),
                      1e-4);
        }
      }
    }
  }
}

TEST_P(Searches, BeamOneIsGreedy) {
  const Place place{&forced("far"), DType::f32};
  const auto model = small_model("gru", GetParam(), place);
  const std::vector<int32_t> source = {5, 6, 7};
  const Hypothesis greedy = search(*model, sources_of({source}, place), {})[0][0];
  std::vector<int32_t> said;
  for (size_t t = 0; t <= greedy.ids.size(); ++t) {
    const NoGrad no_grad;
    const Batch batch = batch_of_ids({source}, {said}, place);
    Pass pass = Pass::serving();
    auto logits = model->teach(batch, {}, pass).logits.values();
    const auto last = logits.end() - target_words;
    last[SpecialTokens().start()] =
        -std::numeric_limits<double>::infinity();  // no sentence says it
    const auto best = static_cast<int32_t>(std::max_element(last, logits.end()) - last);
    if (t < greedy.ids.size()) {
      ASSERT_EQ(best, greedy.ids[t]) << "word " << t;
      said.push_back(best);
    } else if (greedy.ended) {
      EXPECT_EQ(best, 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Decoders, Searches, ::testing::ValuesIn(autoregressive_decoders()),
                         [](const auto& info) { return info.param; });

TEST(LengthNorm, ByHand) {
  EXPECT_DOUBLE_EQ(LengthNorm("none", 0.6)(7), 1);
  EXPECT_DOUBLE_EQ(LengthNorm("wu", 0.6)(7), std::pow(2.0, 0.6));
  EXPECT_DOUBLE_EQ(LengthNorm("length", 2)(7), 49);
  EXPECT_THROW(LengthNorm("other", 1), Error);
}

TEST(State, ReorderMovesCachesCellsAndSentences) {
  const Place place{&forced("cpu"), DType::f32};
  const NoGrad no_grad;
  for (const std::string& decoder : autoregressive_decoders()) {
    const auto model = small_model("gru", decoder, place);
    Pass pass = Pass::serving();
    const Batch batch = sources_of({{3, 4, 5}, {6, 7}}, place);
    const auto memory = std::make_shared<const Remembered>(model->remember(batch.source, pass));
    const std::vector<int32_t> both = {0, 1};
    State state = model->autoregressive().begin(memory, both);
    const auto feed = [&](State& to, const std::vector<int32_t>& words) {
      const Tensor ids =
          Tensor::of(words, {static_cast<int64_t>(words.size())}, place.with(DType::i32));
      return model->autoregressive().step(to, ids, {}, pass).logits;
    };
    feed(state, {2, 2});
    feed(state, {3, 4});
    const std::vector<int32_t> parent = {1, 0, 0};
    state.select(parent);
    const Tensor after = feed(state, {5, 5, 6});
    // The same histories fed from the start.
    const std::vector<int32_t> sentences = {1, 0, 0};
    State fresh = model->autoregressive().begin(memory, sentences);
    feed(fresh, {2, 2, 2});
    feed(fresh, {4, 3, 3});
    EXPECT_TRUE(close(after, feed(fresh, {5, 5, 6}), 256)) << decoder;
  }
}

}  // namespace
}  // namespace heed::test::search_test
