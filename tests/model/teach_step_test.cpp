// Rule 4: for every encoder with every decoder, and for every attention in either, `teach` equals
// looped `step`.
#include <gtest/gtest.h>

#include <numeric>

#include "heed/attention/focuses.h"
#include "heed/attention/normalisers.h"
#include "heed/attention/scores.h"
#include "heed/ops/slice.h"
#include "heed/tensor/tape.h"
#include "tests/model/pairs.h"
#include "tests/support/tolerance.h"

namespace heed::test {
namespace {

/// Logits and weights of every position by stepping, against teaching.
void expect_teach_equals_steps(const Model& model, const Place& place, const std::string& what) {
  const NoGrad no_grad;
  const Batch batch = small_batch(place);
  const TokenPairs pairs = small_pairs();
  Pass pass = Pass::serving();
  const Report report{.weights = true};
  const auto memory =
      std::make_shared<const Remembered>(model.remember(batch.source_ids, batch.source, pass));
  const Decoded taught =
      model.decoder().teach(*memory, {batch.target_in, batch.target, report}, pass);
  std::vector<int32_t> every(pairs.source.size());
  std::iota(every.begin(), every.end(), 0);
  State state = model.decoder().begin(memory, every);
  for (int32_t t = 0; t < batch.target.width(); ++t) {
    std::vector<int32_t> fed;
    for (const auto& target : pairs.target) {
      const bool has_word = t > 0 && t <= static_cast<int32_t>(target.size());
      fed.push_back(t == 0 ? 2 : has_word ? target[static_cast<size_t>(t) - 1] : 0);
    }
    const Tensor ids = Tensor::of(fed, {static_cast<int64_t>(fed.size())}, place.with(DType::i32));
    const Decoded stepped = model.decoder().step(state, ids, report, pass);
    for (size_t b = 0; b < pairs.target.size(); ++b) {
      if (t >= batch.target.lengths()[b]) {
        continue;
      }
      const int64_t row = batch.target.starts()[b] + t;
      EXPECT_TRUE(close(slice(stepped.logits, 0, static_cast<int64_t>(b), 1),
                        slice(taught.logits, 0, row, 1), 256))
          << what << ", sentence " << b << ", word " << t;
      ASSERT_EQ(stepped.reports.size(), taught.reports.size()) << what;
      for (size_t n = 0; n < stepped.reports.size(); ++n) {
        EXPECT_TRUE(close(slice(stepped.reports[n].weights, 0, static_cast<int64_t>(b), 1),
                          slice(taught.reports[n].weights, 0, row, 1), 256))
            << what << ", block " << n;
      }
    }
  }
}

class TeachStep : public ::testing::TestWithParam<Place> {};

TEST_P(TeachStep, EveryEncoderWithEveryDecoder) {
  const RanOn guard(GetParam());
  for (const auto& encoder : encoders()) {
    for (const auto& decoder : decoders()) {
      const auto model = small_model(encoder.name, decoder.name, GetParam());
      expect_teach_equals_steps(*model, GetParam(), encoder.name + " → " + decoder.name);
    }
  }
}

/// Settings of one attention as JSON; heads of four channels would not share 8 evenly with groups,
/// so two.
std::string attention_json(const std::string& score, const std::string& normaliser,
                           const std::string& focus, bool projects) {
  return "{\"score\": \"" + score + "\", \"normaliser\": \"" + normaliser + "\", \"focus\": [\"" +
         focus + "\"], \"project\": " + (projects ? "true" : "false") +
         ", \"heads\": " + (projects ? "2" : "1") + "}";
}

TEST_P(TeachStep, EveryAttentionInEveryDecoder) {
  for (const auto& score : scores()) {
    for (const auto& normaliser : normalisers()) {
      for (const auto& focus : focuses()) {
        const std::string plain = attention_json(score.name, normaliser.name, focus.name, false);
        const std::string heads = attention_json(score.name, normaliser.name, focus.name, true);
        const std::string what = score.name + " " + normaliser.name + " " + focus.name;
        for (const std::string decoder : {"attend_first", "attend_after"}) {
          const auto model = small_model("bag", decoder, GetParam(),
                                         "{\"decoder\": {\"attention\": " + plain + "}}");
          expect_teach_equals_steps(*model, GetParam(), what + " in " + decoder);
        }
        const auto model = small_model(
            "bag", "transformer", GetParam(),
            "{\"decoder\": {\"depth\": 1, \"self\": " + heads + ", \"cross\": " + heads + "}}");
        expect_teach_equals_steps(*model, GetParam(), what + " in transformer");
      }
    }
  }
}

TEST_P(TeachStep, EveryTransformerSetting) {
  for (const std::string decoder :
       {R"("placement": "post")", R"("position": "learned")", R"("position": "none")",
        R"("position": "rotary")", R"("position": "alibi")", R"("position": "relative")",
        R"("wiring": "matched")", R"("wiring": "mixed")", R"("tied": false)",
        R"("norm": "rms_norm")", R"("feed_forward": {"gated": true, "activation": "silu"})",
        R"("self": {"groups": 2})", R"("self": {"focus": ["strictly_causal"]})"}) {
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
                                           Place{&forced("cpu"), DType::f32}),
                         name_of_place);

}  // namespace
}  // namespace heed::test
