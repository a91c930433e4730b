// The decoder `sequence_label`: softmax(W Σ_j α_j h_j + b), α = softmax(score(q, h)).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/error.h"
#include "heed/tensor/tape.h"
#include "tests/model/pairs.h"
#include "tests/nn/leaves.h"
#include "tests/support/directional.h"

namespace heed::test::sequence_label_test {
namespace {

constexpr const char* pooled_dot =
    R"({"embedding": 3, "encoder": {"kind": "identity"},
        "decoder": {"kind": "sequence_label", "attention": {"score": "dot"}}})";

std::unique_ptr<Model> pooling_model(const std::string& settings, const Place& place) {
  auto model = std::make_unique<Model>();
  apply(*model, parse_json(settings, "test"));
  Init init(place, 21);
  model->build(RowForm::ids(source_words), RowForm::ids(target_words), init);
  move_parameters(*model);
  return model;
}

/// Sources of 2 and 3 words, each with one label.
Batch labelled_once(const Place& place) {
  return batch_of_ids({{3, 4}, {5, 6, 7}}, {{8}, {4}}, place);
}

TEST(SequenceLabel, PoolsTheRowsByTheirScores) {
  const Place place{&forced("reference"), DType::f64};
  const auto model = pooling_model(pooled_dot, place);
  const NoGrad no_gradients;
  Pass pass = Pass::serving();
  const Batch batch = labelled_once(place);
  const Remembered memory = model->remember(batch.source, pass);
  const Decoded said = model->labelling().label(memory, {.weights = true}, pass);
  const std::vector<double> logits = said.logits.values();
  const std::vector<double> weights = said.reports.at(0).weights.values();             // [2, 1, 4]
  const std::vector<double> table = parameter_named(*model, "source.table").values();  // [11, 3]
  const std::vector<double> q = parameter_named(*model, "decoder.query").values();
  const std::vector<double> w = parameter_named(*model, "decoder.output.weight").values();
  const std::vector<double> b = parameter_named(*model, "decoder.output.bias").values();
  const std::vector<std::vector<size_t>> words = {{3, 4, 0}, {5, 6, 7, 0}};
  ASSERT_EQ(logits.size(), 2U * target_words);
  for (size_t s = 0; s < 2; ++s) {
    std::vector<double> alpha;
    double total = 0;
    for (const size_t word : words[s]) {
      double e = 0;
      for (size_t d = 0; d < 3; ++d) {
        e += q[d] * table[word * 3 + d];
      }
      alpha.push_back(std::exp(e));
      total += alpha.back();
    }
    std::vector<double> c(3, 0);
    for (size_t j = 0; j < alpha.size(); ++j) {
      EXPECT_NEAR(weights[s * 4 + j], alpha[j] / total, 1e-12);
      for (size_t d = 0; d < 3; ++d) {
        c[d] += alpha[j] / total * table[words[s][j] * 3 + d];
      }
    }
    for (size_t y = 0; y < static_cast<size_t>(target_words); ++y) {
      const double expected = b[y] + w[y * 3] * c[0] + w[y * 3 + 1] * c[1] + w[y * 3 + 2] * c[2];
      EXPECT_NEAR(logits[s * target_words + y], expected, 1e-12) << s << ", " << y;
    }
  }
}

TEST(SequenceLabel, IsTaughtWhatItSaysAndTheEndIsNotPredicted) {
  const Place place{&forced("reference"), DType::f64};
  const auto model = pooling_model(pooled_dot, place);
  Pass pass = Pass::serving();
  const Batch batch = labelled_once(place);
  const Decoded taught = model->teach(batch, {}, pass);
  EXPECT_EQ(taught.targets.values<int32_t>(), (std::vector<int32_t>{8, -1, 4, -1}));
  const std::vector<double> rows = taught.logits.values();
  const std::vector<double> said =
      model->labelling().label(model->remember(batch.source, pass), {}, pass).logits.values();
  for (size_t s = 0; s < 2; ++s) {
    for (size_t y = 0; y < static_cast<size_t>(target_words); ++y) {
      EXPECT_EQ(rows[2 * s * target_words + y], said[s * target_words + y]);
    }
  }
}

TEST(SequenceLabel, ItsGradientAgreesWithFiniteDifferences) {
  const Place place{&forced("reference"), DType::f64};
  const auto model = pooling_model(
      R"({"embedding": 4, "encoder": {"kind": "gru", "width": 4, "direction": "both"},
          "decoder": {"kind": "sequence_label", "attention": {"heads": 2, "project": true}}})",
      place);
  const std::vector<Tensor> leaves = leaves_of(*model);
  EXPECT_TRUE(gradient_agrees(
      leaves,
      [&] {
        Pass pass = Pass::serving();
        return mean_loss(*model, labelled_once(place), pass);
      },
      2, 1e-5));
}

TEST(SequenceLabel, DropoutIsThePooledRow) {
  const Place place{&forced("cpu"), DType::f32};
  const auto model =
      pooling_model(R"({"decoder": {"kind": "sequence_label", "dropout": 0.5}})", place);
  Pass training = Pass::training(1, 1);
  Pass serving = Pass::serving();
  EXPECT_NE(model->teach(labelled_once(place), {}, training).logits.values(),
            model->teach(labelled_once(place), {}, serving).logits.values());
}

TEST(SequenceLabel, NeedsOneLabel) {
  const Place place{&forced("reference"), DType::f32};
  const auto model = pooling_model(pooled_dot, place);
  Pass pass = Pass::serving();
  try {
    model->teach(batch_of_ids({{3, 4}}, {{8, 3}}, place), {}, pass);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                ::testing::HasSubstr("the target has 2 labels, but the whole source has one; give "
                                     "one, or choose the decoder labels for one a token"));
  }
}

}  // namespace
}  // namespace heed::test::sequence_label_test
