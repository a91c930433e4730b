// What a recipe's [search], epochs, tokens and samples come to in a run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/base/atomic_file.h"
#include "heed/base/file.h"
#include "heed/base/json.h"
#include "heed/config/apply.h"
#include "heed/engine/run/recipe.h"
#include "heed/engine/shelf/place.h"
#include "heed/model/file/model_file.h"
#include "tests/base/scratch_directory.h"

namespace heed::test::recipe_search_test {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

constexpr const char* tiny = R"({
  "data": {"synth": "reverse", "train_examples": 40, "valid_examples": 6},
  "model": {"embedding": 4, "encoder": {"kind": "bag"},
            "decoder": {"kind": "attend_first", "width": 5, "embedding": 4}},
  "training": {"steps": 3, "batch_sentences": 8, "validate_every": 3, "samples": 0}})";

struct Trained {
  TrainReport report;
  std::string said;
};

Trained train_tiny(const std::string& folder, const std::string& more) {
  Trained done;
  RecipeRun run{.folder = folder, .place = place_on("reference"), .name = "tiny"};
  run.hooks.say = [&done](const std::string& line) { done.said += line + "\n"; };
  Recipe recipe;
  apply(recipe, parse_json(tiny, "test"));
  apply(recipe, parse_json(more, "test"));
  done.report = train(recipe, run);
  return done;
}

TrainedModel model_in(const std::string& folder) {
  return load_model(folder + "/model.safetensors", place_on("reference"));
}

TEST(RecipeSearch, IsInTheModelFileWithItsScore) {
  const ScratchDirectory scratch;
  const char* more = R"({"training": {"metric": "chrf"}, "search": {"beam": 3, "alpha": 1.0}})";
  const Trained first = train_tiny(scratch / "run", more);
  EXPECT_THAT(first.said, HasSubstr("the best model, searched as [search] says: chrf "));
  const TrainedModel model = model_in(scratch / "run");
  EXPECT_EQ(model.search, parse_json(R"({"beam": 3, "alpha": 1.0})", "test"));
  EXPECT_THAT(model.about.at("score"), MatchesRegex("chrf [0-9.]+ \\(beam 3, alpha 1.0\\)"));
  // The same command again has nothing to do.
  const std::string bytes = read_file(scratch / "run/model.safetensors");
  EXPECT_EQ(train_tiny(scratch / "run", more).said.find("searched as"), std::string::npos);
  EXPECT_EQ(read_file(scratch / "run/model.safetensors"), bytes);
}

TEST(RecipeSearch, SaysGreedyWhereNothingElseIsAskedFor) {
  const ScratchDirectory scratch;
  const Trained run = train_tiny(scratch / "run", R"({"training": {"metric": "chrf"}})");
  EXPECT_EQ(run.said.find("searched as"), std::string::npos);
  const TrainedModel model = model_in(scratch / "run");
  EXPECT_EQ(model.search, Json::object());
  EXPECT_THAT(model.about.at("score"), MatchesRegex("chrf [0-9.]+ \\(greedy\\)"));
}

TEST(RecipeSearch, OfAModelFileThatIsNoTableIsRefused) {
  const ScratchDirectory scratch;
  train_tiny(scratch / "run", "{}");
  SafetensorsFile file = read_safetensors(scratch / "run/model.safetensors");
  file.metadata["search"] = "[5]";
  write_safetensors(scratch / "run/model.safetensors", file);
  try {
    model_in(scratch / "run");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::file);
    EXPECT_THAT(error.what(),
                HasSubstr("search: this is no table of settings; the file is corrupt"));
  }
}

/// 40 examples in batches of 8 are 5 batches.
TEST(RecipeEpochs, CountStepsByPassesOverTheData) {
  const ScratchDirectory scratch;
  EXPECT_EQ(train_tiny(scratch / "two", R"({"training": {"epochs": 2}})").report.state.step, 10);
  EXPECT_EQ(train_tiny(scratch / "some", R"({"training": {"epochs": 0.5}})").report.state.step, 3);
  EXPECT_EQ(train_tiny(scratch / "slow", R"({"training": {"epochs": 2, "accumulate": 3}})")
                .report.state.step,
            4);
  EXPECT_EQ(train_tiny(scratch / "none", R"({"training": {"epochs": 0}})").report.state.step, 3);
}

TEST(RecipeTokens, OfTheTargetAreThoseOfTheSourceUnlessSaid) {
  const ScratchDirectory scratch;
  train_tiny(scratch / "words", R"({"data": {"source_tokens": "words"}})");
  EXPECT_THAT(model_in(scratch / "words").fields.target->summary(), HasSubstr("words"));
  train_tiny(scratch / "bytes",
             R"({"data": {"source_tokens": "words", "target_tokens": "bytes"}})");
  EXPECT_THAT(model_in(scratch / "bytes").fields.target->summary(), HasSubstr("bytes"));
}

/// A validation file with every reference on a line of its own, as Tatoeba's.
TEST(RecipeSamples, AreDistinctSentencesFromTheWholeFileWithATitle) {
  const ScratchDirectory scratch;
  std::string lines;
  for (const char* source : {"a b", "a b", "a b", "a b", "c d", "c d", "e f", "e f"}) {
    lines += std::string(source) + "\tb a\n";
  }
  write_atomically(scratch / "pairs.tsv", lines);
  train_tiny(scratch / "run", R"({"data": {"synth": "", "train": [")" + (scratch / "pairs.tsv") +
                                  R"("], "valid": [")" + (scratch / "pairs.tsv") +
                                  R"("]}, "training": {"samples": 4}})");
  const std::string text = read_file(scratch / "run/samples/step-00000003.txt");
  for (const char* source : {"a b", "c d", "e f"}) {
    const size_t first = text.find(source);
    ASSERT_NE(first, std::string::npos) << source << "\n" << text;
    EXPECT_EQ(text.find(source, first + 1), std::string::npos) << source << "\n" << text;
  }
  EXPECT_THAT(read_file(scratch / "run/samples/step-00000003.2.svg"), HasSubstr("c d"));
}

}  // namespace
}  // namespace heed::test::recipe_search_test
