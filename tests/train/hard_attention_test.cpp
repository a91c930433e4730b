// Runs with hard attention: what is refused, what is taught, and that they resume exactly.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/base/scratch_directory.h"
#include "tests/train/small_run.h"

namespace heed::test::hard_attention_test {
namespace {

using ::testing::HasSubstr;

TEST(HardAttention, EachEstimatorMovesItsScore) {
  const ScratchDirectory scratch;
  int number = 0;
  for (const char* objectives :
       {R"(["teacher_forcing", {"kind": "reinforce", "entropy": 0.01}])", R"("marginal")"}) {
    SmallRun run(
        fmt::format(R"({{"steps": 3, "validate_every": 0, "objectives": {}}})", objectives),
        R"({"decoder": {"kind": "attend_after", "input_feeding": false,
                     "attention": {"score": "bilinear", "normaliser": "hard"}}})");
    const auto score = [&] {
      for (const NamedParameter& parameter : parameters_of(*run.trained.model)) {
        if (parameter.name == "decoder.attention.score.weight") {
          return parameter.tensor->values();
        }
      }
      ADD_FAILURE() << "there is no such parameter";
      return std::vector<double>();
    };
    const std::vector<double> before = score();
    run.run(scratch / std::to_string(number++));
    EXPECT_NE(score(), before);
  }
}

TEST(HardAttention, RefusesWhatMakesNoSense) {
  const ScratchDirectory scratch;
  const auto refusal = [&](const std::string& objectives, const std::string& model) {
    SmallRun run(R"({"objectives": )" + objectives + "}", model);
    return failure(Fault::usage, [&] { run.run(scratch.path()); });
  };
  const std::string hard = R"({"decoder": {"attention": {"normaliser": "hard"}}})";
  const std::string both = R"(["teacher_forcing", "reinforce"])";
  EXPECT_THAT(
      refusal(R"("teacher_forcing")", hard),
      HasSubstr("it would never learn where to look; add the objective reinforce or marginal"));
  EXPECT_THAT(refusal(R"("reinforce")", hard),
              HasSubstr("reinforce for the decoder main teach it no words; add teacher_forcing"));
  EXPECT_THAT(refusal(R"(["diagonal", "doubly_stochastic"])", "{}"),
              HasSubstr("diagonal, doubly_stochastic for the decoder main teach it no words; add "
                        "teacher_forcing"));
  EXPECT_THAT(refusal(both, "{}"), HasSubstr("the attention of attend_first chooses no slot"));
  EXPECT_THAT(refusal(R"("marginal")", hard),
              HasSubstr("marginal is for words that do not depend on where the decoder looked "
                        "before, and those of attend_first"));
  EXPECT_THAT(refusal(R"("marginal")", R"({"decoder": {"kind": "attend_after",
      "input_feeding": false, "attention": {"focus": "local_p", "normaliser": "hard"}}})"),
              HasSubstr("neither local_p"));
  // What self-attention and the encoder choose is not reported.
  for (
      const char* inside :
      {R"({"decoder": {"kind": "transformer", "width": 8, "self": {"normaliser": "hard"}}})",
       R"({"embedding": 8, "encoder": {"kind": "transformer", "width": 8, "self": {"normaliser": "hard"}}})"}) {
    EXPECT_THAT(refusal(both, inside),
                ::testing::AllOf(HasSubstr("never learn where to look; choose a soft"),
                                 ::testing::Not(HasSubstr("add the objective"))));
  }
}

TEST(HardAttention, GoesOnExactly) {
  const char* const hard =
      R"({"decoder": {"attention": {"normaliser": {"kind": "hard", "mix": 0.5}}}})";
  const char* const across = R"({"decoder": {"kind": "transformer", "width": 8, "depth": 2,
    "cross": {"heads": 2, "normaliser": "hard"}}})";
  const char* const single =
      R"({"decoder": {"kind": "attend_after", "width": 6, "input_feeding": false,
    "attention": {"normaliser": "hard"}}})";
  const char* const estimated = R"({"accumulate": 2, "objectives": ["teacher_forcing",
    {"kind": "reinforce", "weight": 0.5, "entropy": 0.01}]})";
  expect_goes_on_exactly(estimated, hard);
  expect_goes_on_exactly(estimated, R"({"decoder": {"attention":
    {"normaliser": {"kind": "hard", "mix": 0.5, "mix_of": "row"}}}})");
  expect_goes_on_exactly(estimated, across);
  expect_goes_on_exactly(R"({"objectives": "marginal"})", single);
}

}  // namespace
}  // namespace heed::test::hard_attention_test
