// scheduled_sampling: the model is fed its own words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/base/philox.h"
#include "heed/ops/reduce.h"
#include "heed/search/search.h"
#include "heed/tensor/tape.h"
#include "heed/train/feed_policies.h"
#include "tests/base/scratch_directory.h"
#include "tests/model/pairs.h"
#include "tests/support/tolerance.h"
#include "tests/train/small_run.h"

namespace heed::test::scheduled_sampling_test {
namespace {

using ::testing::HasSubstr;

const Place exact{&forced("reference"), DType::f64};

const char* const always = R"({"first": 1, "schedule": "constant"})";
const char* const always_likeliest = R"({"first": 1, "schedule": "constant", "word": "argmax"})";

std::unique_ptr<Feed> feed_at(const std::string& settings, const RunProgress& progress) {
  const auto policy = make_part(feed_policies(), "scheduled_sampling");
  apply(*policy, parse_json(settings, "test"));
  return policy->at(progress);
}

/// What is fed in place of `right` by a model whose logits are these at every position.
std::vector<int32_t> fed(const Feed& feed, const std::vector<int32_t>& right,
                         const std::vector<double>& logits, Pass pass) {
  const auto count = static_cast<int64_t>(right.size());
  const auto words = static_cast<int64_t>(logits.size());
  std::vector<double> all;
  for (int64_t n = 0; n < count; ++n) {
    all.insert(all.end(), logits.begin(), logits.end());
  }
  const Tensor ids = Tensor::of(right, {count}, exact.with(DType::i32));
  const std::function<Tensor()> said = [&] { return Tensor::of(all, {count, words}, exact); };
  const SpecialTokens specials;
  return feed({ids, words, specials, said}, pass).values<int32_t>();
}

TEST(ScheduledSampling, ItsRateGoesFromFirstToLast) {
  EXPECT_EQ(feed_at(R"({"last": 0})", {5, 10, 0}), nullptr);
  EXPECT_EQ(feed_at(R"({"schedule": "constant"})", {5, 10, 0}), nullptr);  // it stays at first, 0
  const std::vector<int32_t> right(10000, 4);
  const std::vector<double> own = {0, 0, 0, 0, 0, 50};  // word 5
  const auto rate = [&](const std::string& settings, int64_t step) {
    const auto words = fed(*feed_at(settings, {step, 100, 0}), right, own, Pass::training(1, 2));
    return static_cast<double>(std::count(words.begin(), words.end(), 5)) / 10000;
  };
  // The deviation of a rate of ½ over 10 000 words is 0.005.
  EXPECT_NEAR(rate(R"({"last": 0.5})", 49), 0.25, 0.02);  // linear: halfway
  EXPECT_NEAR(rate(R"({"last": 0.5})", 99), 0.5, 0.02);
  EXPECT_EQ(rate(R"({"last": 1})", 99), 1);
  EXPECT_NEAR(rate(R"({"first": 0.3, "schedule": "constant"})", 7), 0.3, 0.02);
  EXPECT_NEAR(rate(R"({"last": 1, "schedule": {"kind": "exponential", "least": 0.25}})", 49), 0.5,
              0.02);  // 1 − 0.25^½
  EXPECT_NEAR(rate(R"({"last": 1, "schedule": {"kind": "inverse_sigmoid", "k": 10}})", 19),
              1 - 10 / (10 + std::exp(2.0)), 0.02);
}

TEST(ScheduledSampling, DrawsItsWordsFromThePrediction) {
  const std::vector<int32_t> right(20000, 3);
  // Words 4 and 5 have probabilities ¼ and ¾; start (2) is likelier than all but never said.
  const std::vector<double> logits = {-50, -50, 9, -50, 0, std::log(3.0)};
  const auto sampled = fed(*feed_at(always, {0, 9, 0}), right, logits, Pass::training(1, 2));
  const auto count = [](const std::vector<int32_t>& words, int32_t word) {
    return static_cast<double>(std::count(words.begin(), words.end(), word));
  };
  EXPECT_NEAR(count(sampled, 4), 5000, 260);  // the deviation is 61
  EXPECT_NEAR(count(sampled, 5), 15000, 260);
  EXPECT_EQ(fed(*feed_at(always, {0, 9, 0}), right, logits, Pass::training(1, 2)), sampled);
  EXPECT_NE(fed(*feed_at(always, {0, 9, 0}), right, logits, Pass::training(1, 3)), sampled);
  EXPECT_EQ(
      count(fed(*feed_at(always_likeliest, {0, 9, 0}), right, logits, Pass::training(1, 2)), 5),
      20000);
  // Nothing follows an end, so the right word is fed in its place.
  EXPECT_EQ(count(fed(*feed_at(always_likeliest, {0, 9, 0}), right, {99, 0, 0, 0, 0, 0},
                      Pass::training(1, 2)),
                  3),
            20000);
}

TEST(ScheduledSampling, AtProbabilityZeroTrainsBitForBitAsTeacherForcing) {
  const ScratchDirectory scratch;
  int number = 0;
  for (const char* model :
       {"{}", R"({"decoder": {"kind": "transformer", "width": 8, "dropout": 0.1}})"}) {
    const auto trained = [&](const std::string& feed) {
      SmallRun run(R"({"validate_every": 0, "feed": )" + feed + "}", model);
      run.run(scratch / std::to_string(number++));
      return run.weights();
    };
    const std::vector<float> plain = trained(R"("right_words")");
    EXPECT_EQ(trained(R"({"kind": "scheduled_sampling", "last": 0})"), plain);
    EXPECT_NE(trained(R"({"kind": "scheduled_sampling", "last": 1})"), plain);
  }
}

/// Gives the policy's feed the keys that a search has at this step, and keeps what it feeds.
class KeyedAsASearch : public Feed {
 public:
  KeyedAsASearch(const Feed& inner, uint64_t seed, size_t sentences)
      : inner_(inner), seed_(seed), fed_(sentences) {}

  Tensor operator()(const Question& question, Pass& /*pass*/) const override {
    std::vector<int32_t> keys;
    for (size_t b = 0; b < fed_.size(); ++b) {
      const uint64_t bits = Draws(RandomKey{seed_, b, 0}).bits64(0);
      keys.insert(keys.end(),
                  {static_cast<int32_t>(bits), static_cast<int32_t>(bits >> 32), step_});
    }
    ++step_;
    Pass own = Pass::serving();
    own.begin_step(
        Tensor::of(keys, {static_cast<int64_t>(fed_.size()), 3}, question.right.place()));
    Tensor chosen = inner_(question, own);
    const std::vector<int32_t> words = chosen.values<int32_t>();
    for (size_t b = 0; b < fed_.size(); ++b) {
      fed_[b].push_back(words[b]);
    }
    return chosen;
  }
  /// The words fed to sentence b after the start, one a step.
  const std::vector<int32_t>& fed(size_t b) const { return fed_[b]; }

 private:
  const Feed& inner_;
  uint64_t seed_;
  mutable int32_t step_ = 0;
  mutable std::vector<std::vector<int32_t>> fed_;
};

TEST(ScheduledSampling, AtProbabilityOneARecurrentDecoderSaysWhatSamplingSays) {
  const SmallPairs pairs;
  for (const char* decoder : {"fixed", "attend_first", "attend_after"}) {
    SCOPED_TRACE(decoder);
    const auto model = small_model("gru", decoder, exact);
    size_t words = 0;
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      SearchOptions options;
      options.strategy = "sample";
      options.seed = seed;
      options.max_length = 8;
      options.allow_unk = true;  // as training draws words
      const auto said = search(*model, small_batch(exact), options);
      IdSequences wrong;  // as many words as were sampled, all of them 5
      for (const auto& found : said) {
        wrong.emplace_back(found.front().ids.size(), 5);
        words += found.front().ids.size();
      }
      const auto feed = feed_at(always, {});
      const KeyedAsASearch keyed(*feed, seed, said.size());
      const NoGrad no_gradients;
      Pass pass = Pass::serving();
      model->teach(batch_of_ids(pairs.source, wrong, exact), {}, pass, &keyed);
      for (size_t b = 0; b < said.size(); ++b) {
        const std::vector<int32_t>& expected = said[b].front().ids;
        std::vector<int32_t> fed = keyed.fed(b);
        ASSERT_GE(fed.size(), expected.size());
        fed.resize(expected.size());
        EXPECT_EQ(fed, expected) << seed << " " << b;
      }
    }
    EXPECT_GT(words, 25U);
  }
}

TEST(ScheduledSampling, ATransformerIsFedTheWordsOfItsFirstPass) {
  const auto model = small_model("gru", "transformer", exact);
  Batch batch = small_batch(exact);
  const auto logits = [&](const Feed* feed) {
    const NoGrad no_gradients;
    Pass pass = Pass::serving();
    return model->teach(batch, {}, pass, feed).logits;
  };
  const auto feed = feed_at(always_likeliest, {});
  const Tensor second = logits(feed.get());
  const std::vector<int32_t> right = batch.target_in.values<int32_t>();
  const std::vector<double> first = logits(nullptr).values();
  std::vector<int32_t> mixed = right;
  for (size_t row = 1; row < right.size(); ++row) {
    if (right[row] == SpecialTokens().start()) {
      continue;
    }
    const double* said = first.data() + (row - 1) * target_words;
    int32_t best = 0;
    for (int32_t word = 1; word < target_words; ++word) {
      best = word != SpecialTokens().start() && said[word] > said[best] ? word : best;
    }
    mixed[row] = best == SpecialTokens().end() ? right[row] : best;
  }
  EXPECT_NE(mixed, right);
  batch.target_in = Tensor::of(mixed, {static_cast<int64_t>(mixed.size())}, exact.with(DType::i32));
  EXPECT_TRUE(close(second, logits(nullptr)));
}

TEST(ScheduledSampling, RefusesWhatMakesNoSense) {
  const ScratchDirectory scratch;
  const auto refusal = [&](const std::string& training, const std::string& model) {
    SmallRun run(training, model);
    return failure(Fault::usage, [&] { run.run(scratch.path()); });
  };
  const char* const fills = R"({"embedding": 8, "encoder": {"kind": "transformer", "width": 8},
    "decoder": {"kind": "mask_predict", "width": 8}})";
  for (const char* kind : {"scheduled_sampling", "random_words"}) {
    EXPECT_THAT(
        refusal(fmt::format(R"({{"feed": {{"kind": "{}", "schedule": "plateau"}}}})", kind), "{}"),
        HasSubstr(fmt::format("training.feed: the schedule plateau for the rate of {}", kind)));
    EXPECT_THAT(
        refusal(
            fmt::format(R"({{"feed": "{}", "objectives": ["teacher_forcing", "lengths"]}})", kind),
            fills),
        HasSubstr(fmt::format("{} chooses the words that a decoder is fed, and mask_predict is fed "
                              "none; leave it out",
                              kind)));
  }
}

}  // namespace
}  // namespace heed::test::scheduled_sampling_test
