#include <gtest/gtest.h>

#include <algorithm>

#include "heed/ops/softmax.h"
#include "heed/search/search.h"
#include "heed/search/searches.h"
#include "tests/model/pairs.h"

namespace heed::test::label_test {
namespace {

constexpr int32_t specials = 3;  // end 0, unknown 1, start 2
const Place place{&forced("reference"), DType::f64};

void build(Model& model, const std::string& settings) {
  apply(model, parse_json(settings, "test"));
  Init init(place, 21);
  model.build(RowForm::ids(source_words), RowForm::ids(target_words), init);
  move_parameters(model);
}

std::vector<double> log_probabilities(const Model& model, const Batch& batch) {
  Pass pass = Pass::serving();
  return log_softmax(model.labelling().label(model.remember(batch.source, pass), {}, pass).logits)
      .values();
}

TEST(Label, TakesTheLikeliestOfEveryRow) {
  Model model;
  build(model, R"({"embedding": 4, "decoder": "labels"})");
  const Batch batch = batch_of_ids({{3, 4}, {5, 6, 7}}, {}, place);
  std::vector<double> p = log_probabilities(model, batch);
  for (size_t row = 0; row < 5; ++row) {  // neither end nor start is a label
    p[row * target_words] = p[row * target_words + 2] = -1e9;
  }
  const auto found = search(model, batch, {});
  ASSERT_EQ(found.size(), 2U);
  size_t row = 0;
  for (const size_t length : {2, 3}) {
    const Hypothesis& said = found[length - 2].front();
    ASSERT_EQ(said.ids.size(), length);
    EXPECT_FALSE(said.ended);
    double total = 0;
    for (size_t j = 0; j < length; ++j, ++row) {
      const auto begin = p.begin() + static_cast<std::ptrdiff_t>(row * target_words);
      const auto best = std::max_element(begin, begin + target_words);
      total += *best;
      EXPECT_EQ(said.ids[j], best - begin);
      EXPECT_NEAR(said.each_log_probability[j], *best, 1e-12);
    }
    EXPECT_NEAR(said.log_probability, total, 1e-12);
  }
}

TEST(Label, TheLikeliestOfTheWhole) {
  Model model;
  build(model, R"({"embedding": 4, "decoder": "sequence_label"})");
  const Batch batch = batch_of_ids({{3, 4}, {5, 6, 7}}, {}, place);
  const std::vector<double> p = log_probabilities(model, batch);
  SearchOptions options;
  options.n_best = 100;
  options.weights = true;
  const auto found = search(model, batch, options);
  ASSERT_EQ(found.size(), 2U);
  for (size_t s = 0; s < 2; ++s) {
    const std::vector<Hypothesis>& own = found[s];
    ASSERT_EQ(own.size(), static_cast<size_t>(target_words - specials + 1));  // unknown is a label
    std::vector<int32_t> ids;
    for (size_t n = 0; n < own.size(); ++n) {
      ASSERT_EQ(own[n].ids.size(), 1U);
      ids.push_back(own[n].ids[0]);
      EXPECT_NEAR(own[n].log_probability, p[s * target_words + static_cast<size_t>(ids[n])], 1e-12);
      EXPECT_TRUE(n == 0 || own[n].log_probability <= own[n - 1].log_probability);
      ASSERT_EQ(own[n].weights.size(), 1U);
      EXPECT_EQ(own[n].weights[0].size(), s == 0 ? 3U : 4U);
    }
    std::sort(ids.begin(), ids.end());
    EXPECT_EQ(std::unique(ids.begin(), ids.end()), ids.end());
    EXPECT_EQ(std::count(ids.begin(), ids.end(), 0), 0);
    EXPECT_EQ(std::count(ids.begin(), ids.end(), 2), 0);
  }
}

TEST(Label, ManyRowsHaveOneAnswer) {
  Model model;
  build(model, R"({"embedding": 4, "decoder": "labels"})");
  SearchOptions options;
  options.n_best = 2;
  EXPECT_THROW(search(model, batch_of_ids({{3, 4}}, {}, place), options), Error);
}

}  // namespace
}  // namespace heed::test::label_test
