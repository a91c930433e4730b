// Sentences of one search that are searched in different ways: each finds, bit for bit, what it
// finds alone, whatever else is under way and whenever it came. (On the reference backend, where no
// product depends on the number of rows.)
#include <gtest/gtest.h>

#include "heed/config/apply.h"
#include "heed/search/search.h"
#include "heed/search/strategies.h"
#include "heed/tensor/tape.h"
#include "tests/model/pairs.h"
#include "tests/search/told_decoder.h"
#include "tests/support/recording_backend.h"

namespace heed::test::sentence_settings_test {
namespace {

using Words = std::vector<int32_t>;

const std::vector<Words> sources = {{3, 4, 5, 6}, {7}, {8, 9, 10, 3, 3, 3}, {5, 5, 4}, {6, 3}};

SearchOptions with_rule(const char* rule, int64_t value) {
  SearchOptions options;
  apply(options,
        parse_json("{\"" + std::string(rule) + "\": " + std::to_string(value) + "}", "test"));
  return options;
}

/// Settings of which no two are alike.
std::vector<SentenceSettings> different_settings() {
  SentenceSettings narrow;
  narrow.max_length_margin = 4;
  narrow.beam = 2;
  narrow.n_best = 2;
  narrow.weights = true;
  SentenceSettings wide = narrow;
  wide.beam = 6;
  wide.n_best = 3;
  wide.strategies.set("diverse", 2);
  wide.strategies.set("diversity", 2);
  wide.strategies.set("temperature", 0.5);
  wide.length_norm = "length";
  wide.allow_unk = true;
  wide.head = 0;
  SentenceSettings covering = narrow;
  covering.coverage = 0.4;
  covering.strategies.set("top_k", 3);
  covering.max_length = 5;
  covering.rules = with_rule("no_repeat_ngram", 1).rules;
  SentenceSettings plain;
  plain.length_norm = "none";
  plain.strategies.set("top_p", 0.6);
  plain.rules = with_rule("min_length", 4).rules;
  SentenceSettings same_as_first = narrow;
  same_as_first.weights = false;
  return {narrow, wide, covering, plain, same_as_first};
}

std::vector<SentenceOptions> all_sentences() {
  std::vector<SentenceOptions> all(sources.size());
  const auto settings = different_settings();
  for (size_t s = 0; s < all.size(); ++s) {
    all[s].number = static_cast<int64_t>(3 * s);
    all[s].settings = settings[s];
  }
  all[1].phrases = {{5, 4}};
  all[2].phrases = {{6}};
  all[3].prefix = {3, 4};
  return all;
}

void expect_same(const std::vector<Hypothesis>& got, const std::vector<Hypothesis>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t n = 0; n < got.size(); ++n) {
    EXPECT_EQ(got[n].ids, expected[n].ids);
    EXPECT_EQ(got[n].ended, expected[n].ended);
    EXPECT_EQ(got[n].score, expected[n].score);
    EXPECT_EQ(got[n].log_probability, expected[n].log_probability);
    EXPECT_EQ(got[n].weights, expected[n].weights);
  }
}

/// Its settings are those of the search.
std::vector<Hypothesis> alone(const Model& model, size_t s, const std::string& strategy) {
  SearchOptions options;
  SentenceOptions own = all_sentences()[s];
  static_cast<SentenceSettings&>(options) = *own.settings;
  own.settings.reset();
  options.strategy = strategy;
  const Model* one[] = {&model};
  return search(one, batch_of_ids({sources[s]}, {}, model.place()), {&own, 1}, options)[0];
}

std::shared_ptr<const Remembered> remembered(const Model& model, const std::vector<Words>& some) {
  const NoGrad no_grad;
  Pass pass = Pass::serving();
  return std::make_shared<const Remembered>(
      model.remember(batch_of_ids(some, {}, model.place()).source, pass));
}

class OwnSettings : public ::testing::TestWithParam<std::string> {
 protected:
  const std::unique_ptr<Model> model_ =
      small_model("gru", GetParam(), {&forced("reference"), DType::f32});
};
INSTANTIATE_TEST_SUITE_P(Decoders, OwnSettings, ::testing::ValuesIn(autoregressive_decoders()),
                         [](const auto& info) { return info.param; });

TEST_P(OwnSettings, FindWhatTheyFindAlone) {
  const Model* one[] = {model_.get()};
  for (const auto& strategy : strategies()) {
    SearchOptions options;
    options.strategy = strategy.name;
    const auto together =
        search(one, batch_of_ids(sources, {}, model_->place()), all_sentences(), options);
    for (size_t s = 0; s < sources.size(); ++s) {
      SCOPED_TRACE(strategy.name + ", sentence " + std::to_string(s));
      expect_same(together[s], alone(*model_, s, strategy.name));
    }
  }
}

TEST_P(OwnSettings, AreNotThoseOfSentencesThatJoinLater) {
  const Scorer decoder[] = {{&model_->autoregressive()}};
  const std::vector<SentenceOptions> own = all_sentences();
  for (const auto& strategy : strategies()) {
    SearchOptions options;
    options.strategy = strategy.name;
    Search run(decoder, model_->place(), options);
    for (size_t s = 0; s < sources.size(); ++s) {
      const std::shared_ptr<const Remembered> memory[] = {remembered(*model_, {sources[s]})};
      run.admit(memory, {&own[s], 1});
      run.step();
    }
    while (!run.is_done()) {
      run.step();
    }
    for (size_t s = 0; s < sources.size(); ++s) {
      SCOPED_TRACE(strategy.name + ", sentence " + std::to_string(s));
      expect_same(run.take(static_cast<int64_t>(s)), alone(*model_, s, strategy.name));
    }
  }
}

/// A beam of two beside one of four: a device that goes on by itself does so for both.
TEST(OwnSettingsOnADevice, NeedNothingFromTheHostUntilItReads) {
  std::vector<std::vector<std::vector<Hypothesis>>> found;
  for (const int64_t ahead : {0, 100}) {
    RecordingBackend backend(forced("cpu"), ahead);
    const auto model = small_model("gru", "transformer", {&backend, DType::f32});
    std::vector<SentenceOptions> own(4);
    for (size_t s = 0; s < own.size(); ++s) {
      own[s].number = static_cast<int64_t>(s);
      own[s].settings = AnyWord();
      own[s].settings->max_length_margin = 30;
      own[s].settings->beam = s % 2 == 0 ? 4 : 2;
    }
    const Scorer decoder[] = {{&model->autoregressive()}};
    const std::shared_ptr<const Remembered> memory[] = {
        remembered(*model, {sources[0], sources[1], sources[2], sources[3]})};
    Search run(decoder, model->place(), SearchOptions());
    run.admit(memory, own);
    for (int t = 0; t < 4; ++t) {
      run.step();  // until every beam is full and in order
    }
    backend.take();
    run.step();
    run.step();
    const Recording two = backend.take();
    EXPECT_EQ(two.downloads, ahead == 0 ? 4 : 0) << "one for each width";
    EXPECT_EQ(two.uploads == 0, ahead > 0);
    while (!run.is_done()) {
      run.step();
    }
    found.emplace_back();
    for (int64_t s = 0; s < 4; ++s) {
      found.back().push_back(run.take(s));
    }
  }
  for (size_t s = 0; s < 4; ++s) {
    ASSERT_EQ(found[0][s].size(), found[1][s].size());
    EXPECT_EQ(found[0][s][0].ids, found[1][s][0].ids);
    EXPECT_NEAR(found[0][s][0].score, found[1][s][0].score, 1e-5);
  }
}

TEST(OwnSettings, ThatAreWrongTakeNobodyAlong) {
  const ToldDecoder decoder(5, 9);
  AnyWord options;
  options.max_length = 6;
  const Scorer members[] = {decoder.member(1)};
  const auto expected = search(members, {}, ToldDecoder::place(), options)[0];
  const Scorer decoders[] = {{&decoder}};
  Search run(decoders, ToldDecoder::place(), options);
  run.admit({&members[0].memory, 1});
  run.step();
  std::vector<SentenceOptions> wrong(1);
  wrong[0].settings = options;
  wrong[0].settings->n_best = 2;  // of a beam of one
  EXPECT_THROW(run.admit({&members[0].memory, 1}, wrong), Error);
  while (!run.is_done()) {
    run.step();
  }
  expect_same(run.take(0), expected);
}

}  // namespace
}  // namespace heed::test::sentence_settings_test
