// mask_predict with length_from = "end": canvases, what is hidden and what is predicted on them.
#include <gtest/gtest.h>

#include "heed/tensor/tape.h"
#include "tests/model/pairs.h"
#include "tests/nn/leaves.h"
#include "tests/support/directional.h"

namespace heed::test::mask_predict_end_test {
namespace {

const Place place{&forced("reference"), DType::f64};
constexpr std::array<Special, 1> mask_too = {Special::mask};

std::unique_ptr<Model> canvas_model(const std::string& more = "") {
  auto model = std::make_unique<Model>();
  apply(*model, parse_json(R"({"embedding": 8, "encoder": {"kind": "gru", "width": 8},
    "decoder": {"kind": "mask_predict", "width": 8, "depth": 1, "length_range": 2,
                "length_from": "end")" +
                               more + "}}",
                           "test"));
  Init init(place, 21);
  model->build(RowForm::ids(source_words), RowForm::ids(target_words, SpecialTokens(mask_too)),
               init);
  move_parameters(*model);
  return model;
}

TEST(MaskPredictEnd, ACanvasHasRoomForMoreWordsThanTheSource) {
  const auto model = canvas_model();
  EXPECT_FALSE(model->parallel().predicts_length());
  EXPECT_EQ(model->parallel().canvas(5), 6);  // four words and the end; R = 2
  const std::vector<NamedParameter> all = parameters_of(*model);
  EXPECT_TRUE(std::none_of(all.begin(), all.end(), [](const NamedParameter& one) {
    return one.name.find("decoder.length") != std::string::npos;
  }));
}

TEST(MaskPredictEnd, ServingHidesTheWholeCanvas) {
  const NoGrad no_gradients;
  const auto model = canvas_model();
  // The second target is longer than its canvas of 3, the first shorter than its canvas of 5.
  const Batch batch = batch_of_ids({{3, 4, 5}, {7}}, {{8, 5}, {4, 6, 7, 5}}, place);
  Pass pass = Pass::serving();
  const Decoded taught = model->teach(batch, {.weights = true}, pass);
  EXPECT_EQ(taught.targets.values<int32_t>(), (std::vector<int32_t>{8, 5, 0, 4, 6, 7, 5, 0}));
  const std::vector<int32_t> rows = {5, 5};
  const Tensor masks = Tensor::full({10}, 3, place.with(DType::i32));
  const Remembered memory = model->remember(batch.source, pass);
  const Decoded filled = model->parallel().fill(
      memory, {masks, Layout::packed(rows, place), {}, {.weights = true}}, pass);
  const std::vector<double> all = filled.logits.values();
  const std::vector<double> weights = filled.reports[0].weights.values();
  const auto slots = static_cast<size_t>(filled.reports[0].weights.numel() / 10);
  std::vector<double> expected;
  std::vector<double> expected_weights;
  for (const size_t row : {0, 1, 2, 5, 6, 7, 8, 9}) {
    expected.insert(expected.end(), all.begin() + static_cast<std::ptrdiff_t>(row * target_words),
                    all.begin() + static_cast<std::ptrdiff_t>((row + 1) * target_words));
    expected_weights.insert(expected_weights.end(),
                            weights.begin() + static_cast<std::ptrdiff_t>(row * slots),
                            weights.begin() + static_cast<std::ptrdiff_t>((row + 1) * slots));
  }
  EXPECT_EQ(taught.logits.values(), expected);
  EXPECT_EQ(taught.reports[0].weights.values(), expected_weights);
}

TEST(MaskPredictEnd, TrainingHidesSomeWordsAndSomeEnds) {
  const auto model = canvas_model();
  const IdSequences sources(400, {3, 4});
  const IdSequences targets(400, {8, 5});
  Pass pass = Pass::training(1, 1);
  const std::vector<int32_t> wanted =
      model->teach(batch_of_ids(sources, targets, place), {}, pass).targets.values<int32_t>();
  ASSERT_EQ(wanted.size(), 1200U);
  std::array<int, 3> hidden{};
  for (size_t n = 0; n < wanted.size(); ++n) {
    const std::array<int32_t, 3> right = {8, 5, 0};
    EXPECT_TRUE(wanted[n] == -1 || wanted[n] == right[n % 3]);
    hidden[n % 3] += wanted[n] >= 0 ? 1 : 0;
  }
  for (const int count : hidden) {
    EXPECT_NEAR(count, 200, 50);  // the deviation is 10
  }
}

TEST(MaskPredictEnd, ItsGradientAgreesWithFiniteDifferences) {
  const auto model = canvas_model();
  const std::vector<Tensor> leaves = leaves_of(*model);
  const Batch batch = batch_of_ids({{3, 4, 5}, {7}}, {{8, 5}, {4, 6, 7, 5}}, place);
  EXPECT_TRUE(gradient_agrees(
      leaves,
      [&] {
        Pass pass = Pass::training(1, 3);
        const Decoded taught = model->teach(batch, {}, pass);
        return sum(cross_entropy(taught.logits, taught.targets, {}));
      },
      2, 1e-5));
}

}  // namespace
}  // namespace heed::test::mask_predict_end_test
