// Decoding that only moves forwards: no step looks most at a slot before the last step's peak.
#include "heed/model/monotonic_decoding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "heed/tensor/tape.h"
#include "tests/model/pairs.h"

namespace heed::test::monotonic_decoding_test {
namespace {

const Place place{&forced("reference"), DType::f64};

/// The peak of every row of a block's only head.
std::vector<int64_t> peaks(const Model& model, const Batch& batch) {
  const NoGrad no_gradients;
  Pass pass = Pass::serving();
  const Tensor weights = model.teach(batch, {.weights = true}, pass).reports.front().weights;
  const std::vector<double> values = weights.values();
  std::vector<int64_t> found;
  for (auto row = values.begin(); row != values.end(); row += weights.size(2)) {
    found.push_back(std::max_element(row, row + weights.size(2)) - row);
  }
  return found;
}

TEST(MonotonicDecoding, NeverLooksBack) {
  const Batch batch = batch_of_ids({{3, 4, 5, 6, 7, 8}}, {{8, 7, 3, 3, 4, 6, 5}}, place);
  int moved = 0;
  for (const std::string decoder : {"attend_first", "attend_after", "transformer"}) {
    const std::string sharp =
        decoder == "transformer"
            ? R"({"decoder": {"depth": 1, "cross": {"heads": 1, "score": "bilinear"}}})"
            : R"({"decoder": {"attention": {"score": "bilinear"}}})";
    const auto model = small_model("gru", decoder, place, sharp);
    const std::vector<int64_t> free = peaks(*model, batch);
    look_forwards_only(*model);
    look_forwards_only(*model);  // a second time changes nothing
    const std::vector<int64_t> bound = peaks(*model, batch);
    EXPECT_TRUE(std::is_sorted(bound.begin(), bound.end())) << decoder;
    EXPECT_EQ(bound.front(), free.front()) << decoder;
    moved += std::is_sorted(free.begin(), free.end()) ? 0 : 1;
  }
  EXPECT_GT(moved, 0);  // without it, at least one looks back
}

TEST(MonotonicDecoding, NeedsADecoderThatLooksStepByStep) {
  EXPECT_THROW(look_forwards_only(*small_model("gru", "fixed", place)), Error);
  Model labels;
  apply(labels, parse_json(R"({"embedding": 4, "decoder": "sequence_label"})", "test"));
  Init init(place, 21);
  labels.build(RowForm::ids(source_words), RowForm::ids(target_words), init);
  EXPECT_THROW(look_forwards_only(labels), Error);
}

}  // namespace
}  // namespace heed::test::monotonic_decoding_test
