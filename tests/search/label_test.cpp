#include "heed/search/label.h"

#include <gtest/gtest.h>

#include "heed/ops/softmax.h"
#include "heed/search/search.h"
#include "tests/model/pairs.h"

namespace heed::test::label_test {
namespace {

TEST(Label, TakesTheLikeliestOfEveryRow) {
  const Place place{&forced("reference"), DType::f64};
  Model model;
  apply(model, parse_json(R"({"embedding": 4, "decoder": "labels"})", "test"));
  Init init(place, 21);
  model.build(RowForm::ids(source_words), RowForm::ids(target_words), init);
  move_parameters(model);
  const Batch batch = batch_of_ids({{3, 4}, {5, 6, 7}}, {}, place);
  Pass pass = Pass::serving();
  const Tensor log_p =
      log_softmax(model.labelling().label(model.remember(batch.source, pass), pass));
  const std::vector<double> p = log_p.values();
  const auto found = search(model, batch, {});
  ASSERT_EQ(found.size(), 2U);
  size_t row = 0;
  for (const size_t length : {2, 3}) {
    const Hypothesis& said = found[length - 2].front();
    ASSERT_EQ(said.ids.size(), length);
    EXPECT_TRUE(said.ended);
    double total = 0;
    for (size_t j = 0; j <= length; ++j, ++row) {
      const auto begin = p.begin() + static_cast<std::ptrdiff_t>(row * target_words);
      const auto best = std::max_element(begin, begin + target_words);
      total += *best;
      if (j < length) {
        EXPECT_EQ(said.ids[j], best - begin);
      }
    }
    EXPECT_NEAR(said.log_probability, total, 1e-12);
  }
}

}  // namespace
}  // namespace heed::test::label_test
