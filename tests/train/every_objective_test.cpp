// What holds of every objective that is listed, each in a run that suits it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "heed/base/atomic_file.h"
#include "heed/train/objectives.h"
#include "tests/base/scratch_directory.h"
#include "tests/support/recording_backend.h"
#include "tests/train/small_run.h"

namespace heed::test::every_objective_test {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

/// The settings of a run, as a recipe would write them.
struct Way {
  std::string objectives;
  std::string model =
      R"({"dropout": 0, "embedding": 8, "encoder": {"kind": "transformer", "width": 8},
          "decoder": {"kind": "transformer", "width": 8, "depth": 2, "cross": {"heads": 2}}})";
  bool searches = false;  // it lets the model write, and a search reads what was written
};

Way way_of(const Catalogue<Objective>::Entry& entry, const std::string& links) {
  const std::map<std::string, Way> special = {
      {"alignment", {fmt::format(R"({{"kind": "alignment", "links": "{}"}})", links)}},
      {"lengths",
       {R"("lengths")",
        R"({"dropout": 0, "embedding": 8, "encoder": {"kind": "transformer", "width": 8},
            "decoder": {"kind": "mask_predict", "width": 8, "depth": 2, "cross": {"heads": 2}}})"}},
      {"ctc",
       {R"("ctc")",
        R"({"dropout": 0, "encoder": "gru", "decoder": {"kind": "ctc", "upsample": 2}})"}},
      {"reinforce",
       {R"(["teacher_forcing", "reinforce"])",
        R"({"decoder": {"attention": {"normaliser": "hard"}}})"}},
      {"marginal",
       {R"("marginal")", R"({"decoder": {"kind": "attend_after", "input_feeding": false}})"}},
      {"self_critical", {R"({"kind": "self_critical", "metric": "per"})", Way().model, true}},
      {"minimum_risk", {R"({"kind": "minimum_risk", "metric": "per"})", Way().model, true}}};
  const auto found = special.find(entry.name);
  Way way = found == special.end() ? Way{"\"" + entry.name + "\""} : found->second;
  // A guide stands beside an objective that teaches words; here that has no weight.
  if (way.objectives.front() != '[' && !entry.make()->teaches_words()) {
    way.objectives =
        fmt::format(R"([{}, {{"kind": "teacher_forcing", "weight": 0}}])", way.objectives);
  }
  return way;
}

class EveryObjective : public ::testing::Test {
 protected:
  EveryObjective() {
    std::string lines;
    for (const Example& pair : backwards(0, 80)) {
      lines += pair.source + "\t" + pair.target + "\t0-1 1-0\n";
    }
    write_atomically(links_, lines);
  }

  ScratchDirectory scratch_;
  std::string links_ = scratch_ / "links";
};

/// A finite loss, whose gradient reaches the model.
TEST_F(EveryObjective, Teaches) {
  for (const auto& entry : objectives()) {
    const Way way = way_of(entry, links_);
    SmallRun run(R"({"objectives": )" + way.objectives + "}", way.model);
    Stepper stepper(run.training, *run.trained.model, run.train);
    const std::vector<float> before = run.weights();
    const StepOutcome outcome = stepper.take({});
    EXPECT_TRUE(outcome.is_finite()) << entry.name;
    EXPECT_GT(outcome.norm.norm, 0) << entry.name;
    EXPECT_NE(run.weights(), before) << entry.name;
  }
}

/// A step reads its numbers, and what a search writes; it does not read the ids of the batch, which the
/// host has.
TEST_F(EveryObjective, ReadsNothingThatTheHostHas) {
  for (const auto& entry : objectives()) {
    const Way way = way_of(entry, links_);
    RecordingBackend backend(forced("cpu"));
    SmallRun run(R"({"objectives": )" + way.objectives + "}", way.model, {&backend, DType::f32});
    Stepper stepper(run.training, *run.trained.model, run.train);
    backend.take();
    EXPECT_TRUE(stepper.take({}).is_finite()) << entry.name;
    const Recording step = backend.take();
    if (!way.searches) {
      EXPECT_EQ(step.downloads, 1) << entry.name;
    }
    std::vector<std::string> reads;
    for (const std::string& call : step.calls) {
      if (call.starts_with("download")) {
        reads.push_back(call);
      }
    }
    EXPECT_THAT(reads, Each(Not(HasSubstr("i32")))) << entry.name;
  }
}

}  // namespace
}  // namespace heed::test::every_objective_test
