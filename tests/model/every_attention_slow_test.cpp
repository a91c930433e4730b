// Rule 4 for every score, normaliser and focus in every decoder that attends.
#include <gtest/gtest.h>

#include "heed/attention/focuses.h"
#include "heed/attention/normalisers.h"
#include "heed/attention/scores.h"
#include "tests/model/teach_step.h"

namespace heed::test::every_attention_slow_test {
namespace {

class TeachStep : public ::testing::TestWithParam<Place> {};

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

INSTANTIATE_TEST_SUITE_P(Places, TeachStep,
                         ::testing::Values(Place{&forced("reference"), DType::f64},
                                           Place{&forced("cpu"), DType::f32},
                                           Place{&forced("far"), DType::f32}),
                         name_of_place);

}  // namespace
}  // namespace heed::test::every_attention_slow_test
