// What if: words given at positions, and attention that is changed while a sentence is searched.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <tuple>

#include "heed/search/search.h"
#include "heed/search/strategies.h"
#include "heed/search/watcher.h"
#include "heed/tensor/tape.h"
#include "tests/model/pairs.h"
#include "tests/search/told_decoder.h"

namespace heed::test::what_if_test {
namespace {

using Words = std::vector<int32_t>;

const std::vector<Words> sources = {{3, 4, 5, 6}, {7, 4, 4}, {8, 9, 10, 3, 3, 3}};

class Rows : public Watcher {
 public:
  explicit Rows(WatchWish wish) : wish_(std::move(wish)) {}
  WatchWish wish() const override { return wish_; }
  void hear(const WatchedStep& step) override { heard.push_back(step.from.at(0)); }

  std::vector<WatchedHypothesis> heard;

 private:
  WatchWish wish_;
};

std::vector<std::vector<Hypothesis>> found(const Model& model, const SearchOptions& options,
                                           std::vector<SentenceOptions> own,
                                           Watcher* watcher = nullptr) {
  const NoGrad no_grad;
  Pass pass = Pass::serving();
  const std::shared_ptr<const Remembered> memory[] = {std::make_shared<const Remembered>(
      model.remember(batch_of_ids(sources, {}, model.place()).source, pass))};
  const Scorer decoder[] = {{&model.autoregressive()}};
  Search run(decoder, model.place(), options);
  own.resize(sources.size());
  run.admit(memory, own);
  run.watch(0, watcher);
  while (!run.is_done()) {
    run.step();
  }
  std::vector<std::vector<Hypothesis>> all;
  for (size_t s = 0; s < sources.size(); ++s) {
    all.push_back(run.take(static_cast<int64_t>(s)));
  }
  return all;
}

void expect_same(const std::vector<Hypothesis>& got, const std::vector<Hypothesis>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t n = 0; n < got.size(); ++n) {
    EXPECT_EQ(got[n].ids, expected[n].ids);
    EXPECT_EQ(got[n].score, expected[n].score);
    EXPECT_EQ(got[n].weights, expected[n].weights);
  }
}

SearchOptions wide(const std::string& strategy) {
  AnyWord options;
  options.strategy = strategy;
  options.beam = 4;
  options.strategies.set("diverse", 2);
  options.n_best = 3;
  options.max_length_margin = 5;
  options.weights = true;
  return options;
}

/// One hypothesis of six words and their weights.
SearchOptions six_words() {
  AnyWord options;
  options.max_length = 6;
  options.weights = true;
  return options;
}

SentenceOptions changed(std::vector<ChangeAtStep> changes) {
  SentenceOptions own;
  own.prefix = {3, 4, 5, 6, 7, 8};  // the same words, whatever is changed
  own.changes = std::move(changes);
  return own;
}

/// Every decoder that writes one word after the other, on every backend.
class WhatIf : public ::testing::TestWithParam<std::tuple<std::string, Place>> {
 protected:
  std::unique_ptr<Model> model() const {
    return small_model("gru", decoder(), place(),
                       has_self()  ? R"({"decoder": {"self": {"heads": 2}, "cross": {"heads": 2}}})"
                       : attends() ? R"({"decoder": {"attention": {"heads": 2, "project": true}}})"
                                   : "{}");
  }
  const std::string& decoder() const { return std::get<0>(GetParam()); }
  const Place& place() const { return std::get<1>(GetParam()); }
  bool attends() const { return decoder() != "fixed"; }
  bool has_self() const { return decoder() == "transformer"; }
};
INSTANTIATE_TEST_SUITE_P(Everywhere, WhatIf,
                         ::testing::Combine(::testing::ValuesIn(autoregressive_decoders()),
                                            ::testing::ValuesIn(places())),
                         [](const auto& info) {
                           return std::get<0>(info.param) + "_" +
                                  to_string(std::get<1>(info.param));
                         });

TEST_P(WhatIf, GivenWordsArePartsOfAPrefix) {
  const auto model = this->model();
  for (const auto& strategy : strategies()) {
    SCOPED_TRACE(strategy.name);
    SentenceOptions prefix;
    prefix.prefix = {7, 3, 8};
    SentenceOptions given;
    given.prefix = {7};
    given.given = {{1, 3}, {2, 8}};
    const auto expected = found(*model, wide(strategy.name), {prefix});
    const auto got = found(*model, wide(strategy.name), {given});
    for (size_t s = 0; s < sources.size(); ++s) {
      expect_same(got[s], expected[s]);
    }
    SentenceOptions late;
    late.given = {{3, 8}};
    bool is_any = false;
    SearchOptions longer = wide(strategy.name);
    apply(longer, parse_json(R"({"min_length": 5})", "test"));
    const auto all = found(*model, longer, {late});
    for (const Hypothesis& one : all[0]) {
      is_any = is_any || one.ids.size() > 3;
      EXPECT_TRUE(one.ids.size() <= 3 || one.ids[3] == 8);
    }
    EXPECT_TRUE(is_any);
  }
}

TEST_P(WhatIf, IsUndoneToTheLastBit) {
  const auto model = this->model();
  for (const auto& strategy : strategies()) {
    SCOPED_TRACE(strategy.name);
    const auto before = found(*model, wide(strategy.name), {});
    SentenceOptions own;
    own.changes = {{-1, {.closed = {1, 2}}}, {1, {.is_within = true, .closed = {0}}}};
    const auto during = found(*model, wide(strategy.name), {own});
    const auto after = found(*model, wide(strategy.name), {});
    for (size_t s = 0; s < sources.size(); ++s) {
      expect_same(after[s], before[s]);
      // Elsewhere a product's last digits depend on how many rows sentence 0 has.
      if (s > 0 && place().backend == &forced("reference")) {
        expect_same(during[s], before[s]);
      }
    }
    EXPECT_EQ(during[0][0].score == before[0][0].score, !attends());
  }
}

TEST_P(WhatIf, ChangesNothingInOtherRowsOfTheSameStep) {
  const auto model = this->model();
  std::vector<SentenceOptions> own(sources.size(), changed({}));
  const auto before = found(*model, six_words(), own);
  own[1] = changed({{-1, {.closed = {0}}}, {3, {.is_within = true, .closed = {1}}}});
  const auto during = found(*model, six_words(), own);
  expect_same(during[0], before[0]);
  expect_same(during[2], before[2]);
  EXPECT_EQ(during[1][0].log_probability == before[1][0].log_probability, !attends());
}

TEST_P(WhatIf, ClosedSlotsHaveNoWeight) {
  const auto model = this->model();
  const WatchWish wish{.source = {{0, 0}, {0, 1}}, .self = {{0, 0}, {0, 1}}};
  Rows usual(wish);
  found(*model, six_words(), {changed({})}, &usual);
  Rows closed(wish);
  const auto best = found(*model, six_words(),
                          {changed({{-1, {.head = 0, .closed = {0, 3}}},
                                    {2, {.is_within = true, .head = 1, .closed = {1}}}})},
                          &closed)[0][0];
  ASSERT_EQ(closed.heard.size(), usual.heard.size());
  for (size_t t = 0; attends() && t < closed.heard.size(); ++t) {
    const std::vector<float>& row = closed.heard[t].source[0];
    EXPECT_EQ(row[0], 0);
    EXPECT_EQ(row[3], 0);
    EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1, 1e-5);
  }
  const std::vector<float>& first = usual.heard[0].source[0];
  if (attends()) {  // before anything else has changed: what was there, normalised again
    const double rest = 1 - first[0] - first[3];
    EXPECT_NEAR(closed.heard[0].source[0][1], first[1] / rest, 1e-5);
  }
  if (has_self()) {
    EXPECT_EQ(closed.heard[0].source[1], usual.heard[0].source[1]) << "another head";
    EXPECT_EQ(closed.heard[1].self[1][1] == 0, false) << "another step";
    EXPECT_EQ(closed.heard[2].self[1][1], 0);
    EXPECT_NE(closed.heard[2].self[0][1], 0) << "another head";
  }
}

TEST_P(WhatIf, WeightsMayBeGiven) {
  const auto model = this->model();
  const WatchWish wish{.source = {{0, 0}, {0, 1}}};
  Rows usual(wish);
  const auto before = found(*model, six_words(), {changed({})}, &usual)[0][0];
  Rows given(wish);
  const std::vector<float> row = {0, 0.25, 0, 0.75, 0};
  const auto other =
      found(*model, six_words(), {changed({{2, {.head = 1, .given = row}}})}, &given)[0][0];
  if (!attends()) {  // there are no weights to replace
    expect_same({other}, {before});
    return;
  }
  EXPECT_EQ(given.heard[2].source[1], row);
  EXPECT_EQ(given.heard[2].source[0], usual.heard[2].source[0]) << "another head";
  EXPECT_EQ(given.heard[1].source[1], usual.heard[1].source[1]) << "another step";
  EXPECT_NE(other.log_probability, before.log_probability);
  std::vector<ChangeAtStep> same;  // the rows that the model chose itself
  for (size_t t = 0; t < usual.heard.size(); ++t) {
    for (int64_t head = 0; head < 2; ++head) {
      same.push_back({static_cast<int64_t>(t),
                      {.head = head, .given = usual.heard[t].source[static_cast<size_t>(head)]}});
    }
  }
  EXPECT_NEAR(found(*model, six_words(), {changed(same)})[0][0].log_probability,
              before.log_probability, 1e-4);
}

TEST_P(WhatIf, NothingIsSeenWhereAllIsClosed) {
  const auto model = this->model();
  Rows rows(WatchWish{.source = {{0, 0}}});
  const auto best =
      found(*model, six_words(), {changed({{-1, {.closed = {0, 1, 2, 3, 4}}}})}, &rows)[0][0];
  EXPECT_TRUE(std::isfinite(best.log_probability));
  if (attends()) {
    EXPECT_EQ(rows.heard[0].source[0], std::vector<float>(5, 0));
  }
}

/// The search says why, and its neighbours go on.
TEST(WhatIfRefusals, SayWhatIsNeeded) {
  const auto model = small_model("gru", "transformer", {&forced("cpu"), DType::f32});
  const auto refusal = [&](const SentenceOptions& own) {
    try {
      found(*model, six_words(), {own});
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::usage);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal({.prefix = {3, target_words}}),
            "search: the prefix has the word 9; choose 0 to 8");
  EXPECT_EQ(refusal({.phrases = {{-1}}}), "search: a phrase has the word -1; choose 0 to 8");
  EXPECT_EQ(refusal({.given = {{0, 2}}}),
            "search: what is given at a position has the special token 2, which no output "
            "contains; choose another");
  EXPECT_EQ(refusal({.given = {{-1, 3}}}),
            "search: a word is given at position -1; choose 0 or more");
  EXPECT_NE(refusal({.changes = {{-2, {}}}}), "");
  EXPECT_NE(refusal({.changes = {{0, {.block = -1}}}}), "");
  EXPECT_NE(refusal({.changes = {{0, {.head = -2}}}}), "");
  EXPECT_NE(refusal({.changes = {{0, {.closed = {-1}}}}}), "");
  EXPECT_NE(refusal({.changes = {{0, {.given = {0, NAN}}}}}), "");
  EXPECT_EQ(refusal({.changes = {{99, {.block = 7, .head = 9, .closed = {99}, .given = {1}}}}}), "")
      << "what there is not is not changed";
}

}  // namespace
}  // namespace heed::test::what_if_test
