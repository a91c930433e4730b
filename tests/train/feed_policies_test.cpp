#include "heed/train/feed_policies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/base/scratch_directory.h"
#include "tests/train/small_run.h"

namespace heed::feed_policies_test {
namespace {

using test::SmallRun;

std::unique_ptr<FeedPolicy> policy(const std::string& kind, const std::string& settings) {
  auto made = make_part(feed_policies(), kind);
  apply(*made, parse_json(settings, "test"));
  return made;
}

std::vector<int32_t> fed(const Feed& feed, const std::vector<int32_t>& right, Pass pass,
                         const SpecialTokens& specials = SpecialTokens()) {
  const Place place{&test::forced("far"), DType::i32};
  const Tensor ids = Tensor::of(right, {static_cast<int64_t>(right.size())}, place);
  const std::function<Tensor()> said = [] { return Tensor(); };
  return feed({ids, 20, specials, said}, pass).values<int32_t>();
}

TEST(FeedPolicies, TheRightWordsNeedNoPolicy) {
  EXPECT_EQ(policy("right_words", "{}")->at({}), nullptr);
  EXPECT_EQ(policy("random_words", R"({"rate": 0})")->at({}), nullptr);
  EXPECT_EQ(policy("random_words", R"({"rate": 1, "schedule": "linear"})")->at({99, 100, 0}),
            nullptr);
}

TEST(FeedPolicies, RandomWordsComeAtTheirRateAndFromTheWholeVocabulary) {
  const std::vector<int32_t> right(40000, 7);
  const auto feed = policy("random_words", R"({"rate": 0.25})")->at({});
  const std::vector<int32_t> words = fed(*feed, right, Pass::training(3, 4));
  std::vector<int> count(20);
  for (const int32_t word : words) {
    ASSERT_GE(word, 3);  // no special token
    ASSERT_LT(word, 20);
    ++count[static_cast<size_t>(word)];
  }
  // Each of the 17 words is drawn 40 000 · 0.25 / 17 = 588 times on average, with a deviation of 24.
  for (size_t word = 3; word < 20; ++word) {
    EXPECT_NEAR(word == 7 ? count[word] - 30000 : count[word], 588, word == 7 ? 450 : 120) << word;
  }
  EXPECT_EQ(fed(*feed, right, Pass::training(3, 4)), words);
  EXPECT_NE(fed(*feed, right, Pass::training(3, 5)), words);
  const auto always = policy("random_words", R"({"rate": 1})")->at({});
  EXPECT_LT(std::count(words.begin(), words.end(), 7), 40000);
  const std::vector<int32_t> all = fed(*always, right, Pass::training(3, 4));
  EXPECT_NEAR(static_cast<double>(std::count(all.begin(), all.end(), 7)), 2353, 250);
}

TEST(FeedPolicies, RandomWordsPassOverSpecialTokensWhereverTheyAre) {
  SpecialTokens specials;
  specials.set(Special::end, 19);
  specials.set(Special::start, 0);
  specials.set(Special::unknown, 7);
  specials.set(Special::mask, 8);
  const auto feed = policy("random_words", R"({"rate": 1})")->at({});
  std::vector<int> count(20);
  for (const int32_t word :
       fed(*feed, std::vector<int32_t>(16000, 3), Pass::training(3, 4), specials)) {
    ++count.at(static_cast<size_t>(word));
  }
  for (int32_t word = 0; word < 20; ++word) {  // 1 000 times each of 16 words, deviation 31
    EXPECT_NEAR(count[static_cast<size_t>(word)], specials.contains(word) ? 0 : 1000,
                specials.contains(word) ? 0 : 160)
        << word;
  }
}

TEST(FeedPolicies, ARateOfNothingTrainsBitForBitAsBefore) {
  const ScratchDirectory scratch;
  const auto trained = [&](const std::string& name, const std::string& feed,
                           const std::string& model) {
    SmallRun run(R"({"validate_every": 0, "feed": )" + feed + "}", model);
    run.run(scratch / name);
    return run.weights();
  };
  for (const char* model :
       {"{}", R"({"decoder": {"kind": "transformer", "width": 8, "dropout": 0.1}})"}) {
    const std::string kind = std::to_string(std::string_view(model).size());
    const std::vector<float> plain = trained("plain" + kind, R"("right_words")", model);
    EXPECT_EQ(trained("zero" + kind, R"({"kind": "random_words", "rate": 0})", model), plain);
    EXPECT_NE(trained("some" + kind, R"({"kind": "random_words", "rate": 0.3})", model), plain);
  }
}

}  // namespace
}  // namespace heed::feed_policies_test
