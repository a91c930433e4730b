// Whole models that compute in bf16, on the backend that does it by rounding, against the same
// models in f32: logits, losses and the gradient of all weights.
#include <gtest/gtest.h>

#include "heed/nn/positions.h"
#include "heed/tensor/tape.h"
#include "tests/model/pairs.h"
#include "tests/support/rounding.h"

namespace heed::test::bf16_test {
namespace {

struct Computed {
  std::vector<double> logits;
  std::vector<double> gradient;  // of all weights, one behind the other
  int64_t roundings_of_logits = 0;
  int64_t roundings_of_gradient = 0;
};

std::vector<double> gradient_of(Model& model) {
  std::vector<double> all;
  for (const NamedParameter& parameter : distinct_parameters_of(model)) {
    EXPECT_EQ(parameter.tensor->dtype(), DType::f32) << parameter.name;
    const Tensor& gradient = parameter.tensor->gradient();
    if (gradient.defined()) {
      EXPECT_EQ(gradient.dtype(), DType::f32) << parameter.name;
      const std::vector<double> values = gradient.values();
      all.insert(all.end(), values.begin(), values.end());
    }
  }
  return all;
}

Computed computed(const std::string& encoder, const std::string& decoder, DType dtype,
                  const std::string& more) {
  RecordingBackend backend(forced("reference"));
  const Place place{&backend, dtype};
  const auto model = small_model(encoder, decoder, place, more);
  const Batch batch = small_batch(place);
  Computed out;
  backend.take();
  {
    const NoGrad no_gradients;
    Pass pass = Pass::serving();
    const Tensor logits = model->teach(batch, {}, pass).logits;
    EXPECT_EQ(logits.dtype(), dtype);
    out.roundings_of_logits = roundings_of(backend.take());
    out.logits = logits.values();
  }
  backend.take();
  Pass pass = Pass::training(1, 1);
  const Tensor loss = mean_loss(*model, batch, pass);
  EXPECT_EQ(loss.dtype(), DType::f32);
  loss.backward();
  out.roundings_of_gradient = roundings_of(backend.take());
  out.gradient = gradient_of(*model);
  return out;
}

void expect_rounded(const std::string& encoder, const std::string& decoder,
                    const std::string& more) {
  const Computed exact = computed(encoder, decoder, DType::f32, more);
  const Computed rounded = computed(encoder, decoder, DType::bf16, more);
  const std::string what = encoder + " → " + decoder + " " + more;
  EXPECT_EQ(exact.roundings_of_gradient, 0) << what;
  EXPECT_GT(rounded.roundings_of_logits, 0) << what;
  EXPECT_LT(distance(rounded.logits, exact.logits), rounding_bound(rounded.roundings_of_logits))
      << what;
  EXPECT_LT(distance(rounded.gradient, exact.gradient),
            rounding_bound(rounded.roundings_of_gradient))
      << what;
}

/// Settings of a Transformer's half. A gradient through relu jumps where rounding turns a sign, and
/// nothing bounds a jump, so the activation is a smooth one.
std::string smooth(const std::string& half, const std::string& kind, const std::string& more = "") {
  return "\"" + half + "\": {" +
         (kind == "transformer" ? R"("feed_forward": {"activation": "gelu"})" + more : "") + "}";
}

TEST(ModelsInBf16, EveryEncoderWithEveryDecoder) {
  for (const auto& encoder : encoders()) {
    for (const std::string& decoder : autoregressive_decoders(encoder.name)) {
      expect_rounded(
          encoder.name, decoder,
          "{" + smooth("encoder", encoder.name) + ", " + smooth("decoder", decoder) + "}");
    }
  }
}

TEST(ModelsInBf16, EveryPosition) {
  for (const auto& position : positions()) {
    const std::string set = ", \"position\": \"" + position.name + "\"";
    expect_rounded("transformer", "transformer",
                   "{" + smooth("encoder", "transformer", set) + ", " +
                       smooth("decoder", "transformer", set) + "}");
  }
}

/// Whether an element is dropped does not depend on the place, or gradients had nothing in common.
TEST(ModelsInBf16, DropTheSameElements) {
  const std::string drops = R"(, "dropout": 0.3, "self": {"dropout": 0.2})";
  expect_rounded("transformer", "transformer",
                 "{\"dropout\": 0.3, " + smooth("encoder", "transformer", drops) + ", " +
                     smooth("decoder", "transformer", drops) + "}");
}

}  // namespace
}  // namespace heed::test::bf16_test
