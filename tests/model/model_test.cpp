// Whole models: gradients of every encoder with every decoder, and results that do not depend on
// the batch.
#include "heed/model/model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/ops/slice.h"
#include "heed/tensor/tape.h"
#include "tests/model/pairs.h"
#include "tests/support/directional.h"
#include "tests/support/tolerance.h"

namespace heed::test::model_test {
namespace {

std::vector<Tensor> weights_of(Model& model) {
  std::vector<Tensor> all;
  for (const NamedParameter& parameter : distinct_parameters_of(model)) {
    all.push_back(*parameter.tensor);
  }
  return all;
}

TEST(Model, GradientsOfEveryPairAgreeWithFiniteDifferences) {
  const Place place{&forced("reference"), DType::f64};
  const Batch batch = small_batch(place);
  for (const auto& encoder : encoders()) {
    for (const std::string& decoder : autoregressive_decoders(encoder.name)) {
      const auto model = small_model(encoder.name, decoder, place);
      const auto loss = [&] {
        Pass pass = Pass::training(1, 1);
        return mean_loss(*model, batch, pass);
      };
      EXPECT_TRUE(gradient_agrees(weights_of(*model), loss, 2)) << encoder.name << " → " << decoder;
    }
  }
}

/// `scaled_embedding` is the same as tables, of the source and of the target, that are √width as
/// large.
TEST(Model, ScaledEmbeddingsAreTheTablesTimesTheRootOfTheirWidth) {
  const Place place{&forced("reference"), DType::f64};
  const Batch batch = small_batch(place);
  for (const std::string& decoder : autoregressive_decoders()) {
    const auto with = [&](const std::string& scaled) {
      return small_model("gru", decoder, place,
                         R"({"decoder": {"tied": false, "scaled_embedding": )" + scaled + "}}");
    };
    const auto scaled = with("true");
    const auto plain = with("false");
    for (const NamedParameter& parameter : distinct_parameters_of(*plain)) {
      if (parameter.name.ends_with(".table")) {
        const View in[] = {parameter.tensor->view()};
        parameter.tensor->backend().map(function<fn::Affine>, parameter.tensor->view(), in,
                                        {std::sqrt(8.0), 0});
      }
    }
    Pass pass = Pass::serving();
    const auto expected = plain->teach(batch, {}, pass).logits.values();
    const auto given = scaled->teach(batch, {}, pass).logits.values();
    ASSERT_EQ(given.size(), expected.size());
    for (size_t i = 0; i < given.size(); ++i) {
      ASSERT_NEAR(given[i], expected[i], 1e-12) << decoder;
    }
  }
}

/// Factor and bias of a Transformer's output, tied or not: logits = W f h + b.
TEST(Model, OutputsHaveAFactorAndABias) {
  const Place place{&forced("reference"), DType::f64};
  const Batch batch = small_batch(place);
  const auto logits_of = [&](const std::string& settings) {
    const auto model =
        small_model("transformer", "transformer", place, "{\"decoder\": {" + settings + "}}");
    const auto loss = [&] {
      Pass pass = Pass::training(1, 1);
      return mean_loss(*model, batch, pass);
    };
    EXPECT_TRUE(gradient_agrees(weights_of(*model), loss, 2)) << settings;
    Pass pass = Pass::serving();
    return model->teach(batch, {}, pass).logits.values();
  };
  for (const std::string tied : {"true", "false"}) {
    const std::string bias = tied == "true" ? "\"tied_bias\": " : "\"untied_bias\": ";
    const auto settings = [&](const std::string& has_bias) {
      return "\"tied\": " + tied + ", " + bias + has_bias;
    };
    const auto plain = logits_of(settings("false"));
    const auto more = logits_of(settings("true"));  // move_parameters makes every bias 0.02
    const auto both = logits_of(settings("true") + ", \"output_factor\": 0.25");
    ASSERT_EQ(plain.size(), more.size());
    ASSERT_EQ(plain.size(), both.size());
    for (size_t i = 0; i < plain.size(); ++i) {
      ASSERT_NEAR(more[i], plain[i] + 0.02, 1e-12) << "tied " << tied;
      ASSERT_NEAR(both[i], 0.25 * plain[i] + 0.02, 1e-12) << "tied " << tied;
    }
  }
}

TEST(Model, EveryParameterGetsAGradient) {
  const Place place{&forced("cpu"), DType::f32};
  const Batch batch = small_batch(place);
  for (const auto& encoder : encoders()) {
    for (const std::string& decoder : autoregressive_decoders(encoder.name)) {
      const auto model = small_model(encoder.name, decoder, place);
      Pass pass = Pass::training(1, 1);
      mean_loss(*model, batch, pass).backward();
      for (const NamedParameter& parameter : distinct_parameters_of(*model)) {
        ASSERT_TRUE(parameter.tensor->gradient().defined())
            << encoder.name << " → " << decoder << ": " << parameter.name;
        double size = 0;
        for (const double value : parameter.tensor->gradient().values()) {
          size += std::abs(value);
        }
        // A key's bias adds the same number to all scores of a row, which softmax does not see.
        const bool is_key_bias = parameter.name.ends_with("key.bias");
        EXPECT_TRUE(size > 0 || is_key_bias)
            << encoder.name << " → " << decoder << ": " << parameter.name;
      }
    }
  }
}

TEST(Model, ASentenceAloneEqualsTheSentenceInABatch) {
  for (const Place& place : places()) {
    const NoGrad no_grad;
    const Batch batch = small_batch(place);
    const SmallPairs pairs;
    for (const auto& encoder : encoders()) {
      for (const std::string& decoder : autoregressive_decoders(encoder.name)) {
        const auto model = small_model(encoder.name, decoder, place);
        Pass pass = Pass::serving();
        const Tensor together = model->teach(batch, {}, pass).logits;
        for (size_t b = 0; b < pairs.source.size(); ++b) {
          const Batch one = batch_of_ids({pairs.source[b]}, {pairs.target[b]}, place);
          const Tensor alone = model->teach(one, {}, pass).logits;
          EXPECT_TRUE(close(
              alone, slice(together, 0, batch.target.starts()[b], batch.target.lengths()[b]), 256))
              << encoder.name << " → " << decoder;
        }
      }
    }
  }
}

TEST(Model, SharedEmbeddingsAreOneParameter) {
  const Place place{&forced("cpu"), DType::f32};
  auto model = std::make_unique<Model>();
  apply(*model, parse_json(R"({"embedding": 8, "share_embeddings": true,
                              "encoder": {"kind": "bag"},
                              "decoder": {"kind": "fixed", "embedding": 8, "width": 8}})",
                           "test"));
  Init init(place, 1);
  model->build(RowForm::ids(9), RowForm::ids(9), init);
  EXPECT_EQ(parameters_of(*model).size(), distinct_parameters_of(*model).size() + 1);
  auto other = std::make_unique<Model>();
  apply(*other, parse_json(R"({"embedding": 4, "share_embeddings": true})", "test"));
  EXPECT_THROW(other->build(RowForm::ids(9), RowForm::ids(9), init), Error);
}

TEST(Model, MatchedWiringNeedsEqualDepths) {
  const Place place{&forced("cpu"), DType::f32};
  EXPECT_THROW(small_model("transformer", "transformer", place,
                           R"({"decoder": {"wiring": "matched", "depth": 3}})"),
               Error);
}

}  // namespace
}  // namespace heed::test::model_test
