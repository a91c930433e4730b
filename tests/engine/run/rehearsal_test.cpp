#include "heed/engine/run/rehearsal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "heed/base/atomic_file.h"
#include "heed/config/apply.h"
#include "heed/engine/shelf/place.h"
#include "tests/base/scratch_directory.h"

namespace heed::test::rehearsal_test {
namespace {

using ::testing::HasSubstr;

constexpr const char* tiny = R"({
  "data": {"synth": "reverse", "train_examples": 40, "valid_examples": 6},
  "model": {"embedding": 4, "encoder": {"kind": "bag"},
            "decoder": {"kind": "attend_first", "width": 5, "embedding": 4}},
  "training": {"steps": 3, "batch_sentences": 8, "validate_every": 3, "samples": 0}})";

Recipe recipe_with(const std::string& more) {
  Recipe recipe;
  apply(recipe, parse_json(tiny, "test"));
  apply(recipe, parse_json(more, "test"));
  return recipe;
}

class Rehearsals : public ::testing::Test {
 protected:
  /// The parameters of the model that was looked at.
  int64_t rehearse(const std::string& more) {
    Recipe recipe = recipe_with(more);
    int64_t parameters = 0;
    rehearsal_(recipe, run(), [&](const TrainedModel& trained, const Corpora& corpora) {
      parameters = count_parameters(*trained.model);
      examples_ = corpora.train.size();
    });
    return parameters;
  }

  std::string refused(const std::string& more) {
    try {
      rehearse(more);
    } catch (const Error& error) {
      fault_ = error.fault();
      return error.what();
    }
    return "nothing was refused";
  }

  RecipeRun run() const {
    return {.folder = scratch_ / "run", .place = place_on("reference"), .name = "tiny"};
  }

  ScratchDirectory scratch_;
  Rehearsal rehearsal_;
  int64_t examples_ = 0;
  Fault fault_ = Fault::runtime;
};

TEST_F(Rehearsals, RefuseWhatTheRunWouldRefuseAndWriteNothing) {
  for (const char* wrong :
       {R"({"model": {"decoder": {"attention": {"normaliser": "hard"}}}})",
        R"({"model": {"decoder": {"kind": "transformer", "width": 6, "self": {"heads": 4}}}})",
        R"({"training": {"metric": "chrf", "validate_every": 0, "patience": 2}})",
        R"({"training": {"objectives": ["ctc"]}})"}) {
    const std::string said = refused(wrong);
    EXPECT_EQ(fault_, Fault::usage) << wrong;
    Recipe recipe = recipe_with(wrong);
    try {
      train(recipe, run());
      ADD_FAILURE() << "the run does not refuse " << wrong;
    } catch (const Error& error) {
      EXPECT_EQ(said, error.what());
    }
    std::filesystem::remove_all(scratch_ / "run");
  }
  EXPECT_GT(rehearse("{}"), 0);
  EXPECT_EQ(examples_, 40);
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "run"));
}

/// A run that has begun is continued, so what it cannot continue with is refused.
TEST_F(Rehearsals, RefuseToContinueAnotherModel) {
  Recipe begun = recipe_with("{}");
  train(begun, run());
  EXPECT_GT(rehearse(R"({"training": {"steps": 5}})"), 0);
  for (const char* other :
       {R"({"model": {"decoder": {"width": 9}}})", R"({"data": {"train_examples": 41}})",
        R"({"training": {"optimiser": {"kind": "sgd", "momentum": 0.5}}})"}) {
    const std::string said = refused(other);
    EXPECT_EQ(fault_, Fault::usage) << other;
    Recipe recipe = recipe_with(other);
    try {
      train(recipe, run());
      ADD_FAILURE() << "the run continues with " << other;
    } catch (const Error& error) {
      EXPECT_EQ(said, error.what());
    }
  }
}

TEST_F(Rehearsals, PassOnWhatTheirLookRefuses) {
  Recipe recipe = recipe_with("{}");
  EXPECT_THROW(
      rehearsal_(recipe, run(),
                 [](const TrainedModel&, const Corpora&) { fail(Fault::usage, "not this one"); }),
      Error);
  EXPECT_GT(rehearse("{}"), 0);
}

TEST_F(Rehearsals, LoadTheSameDataOnce) {
  const std::string pairs = scratch_ / "pairs.tsv";
  const std::string file = R"("data": {"synth": "", "train": [")" + pairs + R"("], "hold_out": 1)";
  write_atomically(pairs, "abc\tcba\nbad\tdab\nadd\tdda\n");
  const int64_t narrow = rehearse("{" + file + "}}");
  EXPECT_EQ(examples_, 2);
  std::filesystem::remove(pairs);
  EXPECT_GT(rehearse("{" + file + R"(}, "model": {"decoder": {"width": 9}}})"), narrow);
  EXPECT_EQ(examples_, 2);
  EXPECT_THAT(refused("{" + file + R"(, "max_source": 9}})"), HasSubstr("pairs.tsv"));
  EXPECT_EQ(fault_, Fault::file);
}

}  // namespace
}  // namespace heed::test::rehearsal_test
