// The decoder `labels`: softmax(W h_j + b) for every row of the source.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/tensor/tape.h"
#include "tests/model/pairs.h"
#include "tests/nn/leaves.h"
#include "tests/support/directional.h"

namespace heed::test::labels_test {
namespace {

constexpr const char* labels = R"({"embedding": 3, "encoder": {"kind": "identity"},
                                   "decoder": "labels"})";

std::unique_ptr<Model> labelling_model(const std::string& settings, const Place& place) {
  auto model = std::make_unique<Model>();
  apply(*model, parse_json(settings, "test"));
  Init init(place, 21);
  model->build(RowForm::ids(source_words), RowForm::ids(target_words), init);
  move_parameters(*model);
  return model;
}

/// Sources of 2 and 3 words with their labels.
Batch labelled(const Place& place) {
  return batch_of_ids({{3, 4}, {5, 6, 7}}, {{8, 3}, {4, 4, 5}}, place);
}

TEST(Labels, AreALinearLayerOverTheRows) {
  const Place place{&forced("reference"), DType::f64};
  const auto model = labelling_model(labels, place);
  const NoGrad no_gradients;
  Pass pass = Pass::serving();
  const std::vector<double> logits = model->teach(labelled(place), {}, pass).logits.values();
  const std::vector<double> table = parameter_named(*model, "source.table").values();  // [11, 3]
  const std::vector<double> w = parameter_named(*model, "decoder.output.weight").values();
  const std::vector<double> b = parameter_named(*model, "decoder.output.bias").values();
  const std::vector<size_t> words = {3, 4, 0, 5, 6, 7, 0};
  ASSERT_EQ(logits.size(), words.size() * target_words);
  for (size_t j = 0; j < words.size(); ++j) {
    for (size_t y = 0; y < static_cast<size_t>(target_words); ++y) {
      double expected = b[y];
      for (size_t d = 0; d < 3; ++d) {
        expected += w[y * 3 + d] * table[words[j] * 3 + d];
      }
      EXPECT_NEAR(logits[j * target_words + y], expected, 1e-12) << j << ", " << y;
    }
  }
  // The rows of the end tokens have no labels.
  const Remembered memory = model->remember(labelled(place).source, pass);
  std::vector<double> expected;
  for (const size_t j : {0, 1, 3, 4, 5}) {
    const auto first = logits.begin() + static_cast<std::ptrdiff_t>(j * target_words);
    expected.insert(expected.end(), first, first + target_words);
  }
  EXPECT_EQ(model->labelling().label(memory, {}, pass).logits.values(), expected);
}

TEST(Labels, TheEndIsNotPredicted) {
  const Place place{&forced("reference"), DType::f64};
  const auto model = labelling_model(labels, place);
  Pass pass = Pass::serving();
  const Batch batch = labelled(place);
  EXPECT_EQ(model->teach(batch, {}, pass).targets.values<int32_t>(),
            (std::vector<int32_t>{8, 3, -1, 4, 4, 5, -1}));
}

TEST(Labels, ASourceWithoutAnEndHasALabelForEveryRow) {
  const Place place{&forced("reference"), DType::f64};
  Model model;
  apply(model, parse_json(R"({"front": "frames", "embedding": 3, "encoder": {"kind": "identity"},
                              "decoder": "labels"})",
                          "test"));
  Init init(place, 21);
  model.build(RowForm::numbers(2), RowForm::ids(target_words), init);
  move_parameters(model);
  Batch batch = batch_of_ids({{3}, {3}}, {{8, 3}, {4}}, place);
  batch.source = {Tensor::of(std::vector<double>{1, 2, 3, 4, 5, 6}, {3, 2}, place),
                  Layout::packed(std::vector<int32_t>{2, 1}, place)};
  Pass pass = Pass::serving();
  const Decoded taught = model.teach(batch, {}, pass);
  EXPECT_EQ(taught.targets.values<int32_t>(), (std::vector<int32_t>{8, 3, -1, 4, -1}));
  const std::vector<double> all = taught.logits.values();
  std::vector<double> compared;
  for (const size_t j : {0, 1, 3}) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(j * target_words);
    compared.insert(compared.end(), first, first + target_words);
  }
  const Remembered memory = model.remember(batch.source, pass);
  EXPECT_EQ(model.labelling().label(memory, {}, pass).logits.values(), compared);
  EXPECT_EQ(model.labelling().labels_of(2), 2);
}

TEST(Labels, TheirGradientAgreesWithFiniteDifferences) {
  const Place place{&forced("reference"), DType::f64};
  const auto model = labelling_model(
      R"({"embedding": 4, "encoder": {"kind": "gru", "width": 4, "direction": "both"},
          "decoder": "labels"})",
      place);
  const std::vector<Tensor> leaves = leaves_of(*model);
  EXPECT_TRUE(gradient_agrees(
      leaves,
      [&] {
        Pass pass = Pass::serving();
        return mean_loss(*model, labelled(place), pass);
      },
      2, 1e-5));
}

TEST(Labels, DropoutIsTheRows) {
  const Place place{&forced("cpu"), DType::f32};
  const auto model = labelling_model(R"({"decoder": {"kind": "labels", "dropout": 0.5}})", place);
  Pass training = Pass::training(1, 1);
  Pass serving = Pass::serving();
  EXPECT_NE(model->teach(labelled(place), {}, training).logits.values(),
            model->teach(labelled(place), {}, serving).logits.values());
}

TEST(Labels, NeedALabelForEachRow) {
  const Place place{&forced("reference"), DType::f32};
  const auto model = labelling_model(labels, place);
  Pass pass = Pass::serving();
  try {
    model->teach(batch_of_ids({{3, 4}}, {{8}}, place), {}, pass);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                ::testing::HasSubstr("there are 1 labels for a source of 2 tokens; label every "
                                     "one, or choose a decoder that says words"));
  }
}

TEST(Labels, AreOfAnotherKindThanWords) {
  const Place place{&forced("reference"), DType::f32};
  const auto model = labelling_model(labels, place);
  EXPECT_THROW(model->autoregressive(), Error);
  EXPECT_THROW(small_model("bag", "fixed", place)->labelling(), Error);
  EXPECT_THROW(labelling_model(R"({"share_embeddings": true, "decoder": "labels"})", place), Error);
}

}  // namespace
}  // namespace heed::test::labels_test
