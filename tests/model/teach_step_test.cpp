// Rule 4: for every encoder with every decoder, `teach` equals
// looped `step`.
#include "tests/model/teach_step.h"

#include <gtest/gtest.h>

namespace heed::test::teach_step_test {
namespace {

class TeachStep : public ::testing::TestWithParam<Place> {};

TEST_P(TeachStep, EveryEncoderWithEveryDecoder) {
  const RanOn guard(GetParam());
  for (const auto& encoder : encoders()) {
    for (const std::string& decoder : autoregressive_decoders(encoder.name)) {
      const auto model = small_model(encoder.name, decoder, GetParam());
      expect_teach_equals_steps(*model, GetParam(), encoder.name + " → " + decoder);
    }
  }
}

TEST_P(TeachStep, EveryTransformerSetting) {
  for (const std::string decoder :
       {R"("placement": "post")", R"("position": "learned")", R"("position": "none")",
        R"("position": "rotary")", R"("position": "alibi")", R"("position": "relative")",
        R"("wiring": "matched")", R"("wiring": "mixed")", R"("tied": false)",
        R"("tied_bias": true, "output_factor": 0.5)", R"("tied": false, "untied_bias": false)",
        R"("position": {"kind": "sinusoidal", "waves": "halves", "slowest": "the_last"})",
        R"("norm": "rms_norm")", R"("feed_forward": {"gated": true, "activation": "silu"})",
        R"("self": {"groups": 2})", R"("self": {"head_width": 5}, "cross": {"head_width": 3})",
        R"("self": {"focus": ["strictly_causal"]})"}) {
    const auto model =
        small_model("transformer", "transformer", GetParam(), "{\"decoder\": {" + decoder + "}}");
    expect_teach_equals_steps(*model, GetParam(), decoder);
  }
}

TEST_P(TeachStep, EveryCellAndDepth) {
  for (const std::string decoder : {"fixed", "attend_first", "attend_after"}) {
    for (const std::string cell : {"rnn", "gru", "lstm"}) {
      const auto model = small_model(
          "lstm", decoder, GetParam(),
          "{\"decoder\": {\"depth\": 2, \"residual\": true, \"cell\": \"" + cell + "\"}}");
      expect_teach_equals_steps(*model, GetParam(), cell + " in " + decoder);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Places, TeachStep,
                         ::testing::Values(Place{&forced("reference"), DType::f64},
                                           Place{&forced("cpu"), DType::f32},
                                           Place{&forced("far"), DType::f32}),
                         name_of_place);

}  // namespace
}  // namespace heed::test::teach_step_test
