// n-best lists, diverse groups, constraints and ensembles, with every decoder that says one word after
// the other.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "heed/ops/gather.h"
#include "heed/ops/softmax.h"
#include "heed/search/search.h"
#include "heed/tensor/tape.h"
#include "tests/model/pairs.h"

namespace heed::test::every_decoder_test {
namespace {

using Words = std::vector<int32_t>;

const Words source = {5, 6, 7, 3};

Place cpu() { return {&forced("cpu"), DType::f32}; }

std::vector<Hypothesis> found_by(std::vector<const Model*> models, const SearchOptions& options,
                                 const SentenceOptions& sentence = {}) {
  return search(models, batch_of_ids({source}, {}, cpu()), {&sentence, 1}, options)[0];
}

/// p(y_i | y_<i, x) of every word and the end, by teaching.
std::vector<double> taught(const Model& model, const Words& target) {
  const NoGrad no_grad;
  const Batch batch = batch_of_ids({source}, {target}, model.place());
  Pass pass = Pass::serving();
  std::vector<double> each;
  const Tensor logits = model.teach(batch, {}, pass).logits;
  for (const double log_p : pick(log_softmax(logits), batch.target_out).values()) {
    each.push_back(std::exp(log_p));
  }
  return each;
}

class EveryDecoder : public ::testing::TestWithParam<std::string> {
 protected:
  const std::unique_ptr<Model> model_ = small_model("gru", GetParam(), cpu());
};
INSTANTIATE_TEST_SUITE_P(Decoders, EveryDecoder, ::testing::ValuesIn(autoregressive_decoders()),
                         [](const auto& info) { return info.param; });

TEST_P(EveryDecoder, GivesDifferentOutputsBestFirst) {
  SearchOptions options;
  options.beam = options.n_best = 6;
  options.max_length_margin = 4;
  const auto found = found_by({model_.get()}, options);
  ASSERT_EQ(found.size(), 6U);
  std::set<std::pair<Words, bool>> different;
  for (size_t n = 0; n < found.size(); ++n) {
    different.emplace(found[n].ids, found[n].ended);
    EXPECT_TRUE(n == 0 || found[n].score <= found[n - 1].score) << n;
  }
  EXPECT_EQ(different.size(), 6U);
}

TEST_P(EveryDecoder, SaysThePhrasesThatItMust) {
  SearchOptions options;
  options.strategy = "constrained";
  options.beam = options.n_best = 4;
  const std::vector<Words> phrases = {{8, 4}, {6}};
  const auto holds = [](const Words& ids, const Words& phrase) {
    return std::search(ids.begin(), ids.end(), phrase.begin(), phrase.end()) != ids.end();
  };
  const auto found = found_by({model_.get()}, options, {.phrases = phrases});
  ASSERT_FALSE(found.empty());
  for (const Hypothesis& one : found) {
    EXPECT_TRUE(holds(one.ids, phrases[0]) && holds(one.ids, phrases[1]));
  }
  options.strategy = "beam";
  const auto free = found_by({model_.get()}, options);
  EXPECT_FALSE(holds(free[0].ids, phrases[0]) && holds(free[0].ids, phrases[1]))
      << "what it must say should not be what it would have said";
}

TEST_P(EveryDecoder, ItsGroupsAvoidEachOthersWords) {
  SearchOptions options;
  options.strategy = "diverse";
  options.beam = options.n_best = 4;
  options.strategies.set("diverse", 4);
  options.max_length_margin = 3;
  const auto first_words = [&](double diversity) {
    options.strategies.set("diversity", diversity);
    std::set<int32_t> words;
    for (const Hypothesis& one : found_by({model_.get()}, options)) {
      words.insert(one.ids.empty() ? -1 : one.ids.front());
    }
    return words.size();
  };
  EXPECT_EQ(first_words(0), 1U);  // every group is greedy
  EXPECT_EQ(first_words(1000), 4U);
}

/// The mean over models of different kinds is the mean of what each of them predicts when it is taught.
TEST_P(EveryDecoder, AnswersTogetherWithEveryOther) {
  for (const std::string& other : autoregressive_decoders()) {
    SCOPED_TRACE(other);
    const auto second = small_model("transformer", other, cpu(), R"({"embedding": 12})");
    SearchOptions options;
    options.beam = options.n_best = 3;
    options.length_norm = "none";
    options.max_length_margin = 3;
    for (const Hypothesis& one : found_by({model_.get(), second.get()}, options)) {
      const auto a = taught(*model_, one.ids);
      const auto b = taught(*second, one.ids);
      double expected = 0;
      for (size_t i = 0; i < one.ids.size() + (one.ended ? 1 : 0); ++i) {
        expected += std::log((a[i] + b[i]) / 2);
      }
      EXPECT_NEAR(one.log_probability, expected, 1e-4);
    }
  }
}

}  // namespace
}  // namespace heed::test::every_decoder_test
