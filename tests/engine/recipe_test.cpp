#include "heed/engine/recipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/base/json.h"
#include "heed/engine/place.h"
#include "heed/engine/translation.h"
#include "heed/nn/settings.h"
#include "tests/base/captured_log.h"
#include "tests/base/scratch_directory.h"

namespace heed {
namespace {

using ::testing::HasSubstr;

constexpr const char* tiny = R"({
  "data": {"synth": "reverse", "train_examples": 40, "valid_examples": 6},
  "model": {"embedding": 4, "encoder": {"kind": "bag"},
            "decoder": {"kind": "attend_first", "width": 5, "embedding": 4}},
  "training": {"steps": 3, "batch_sentences": 8, "validate_every": 2}})";

TrainReport train_tiny(const std::string& folder, const std::string& more = "{}") {
  Recipe recipe;
  apply(recipe, parse_json(tiny, "test"));
  apply(recipe, parse_json(more, "test"));
  return train(recipe, {.folder = folder, .backend = "reference", .name = "tiny"});
}

TEST(Recipe, TrainsAModelThatTranslates) {
  const ScratchDirectory scratch;
  CapturedLog log(false);
  EXPECT_EQ(train_tiny(scratch.path()).ending, Ending::finished);
  EXPECT_THAT(log.take(), HasSubstr("tiny: 40 training and 6 validation pairs"));
  const Translator translator = load_model(scratch / "model.safetensors", place_on("reference"));
  EXPECT_EQ(translator.about.at("recipe"), "tiny");
  EXPECT_EQ(translate_lines(translator, std::vector<std::string>{"a b", ""}, {}).size(), 2U);
}

TEST(Recipe, GoesOnWhereItWasLeft) {
  const ScratchDirectory scratch;
  CapturedLog log(false);
  train_tiny(scratch / "two");
  const TrainReport further = train_tiny(scratch / "two", R"({"training": {"steps": 6}})");
  EXPECT_THAT(log.take(), HasSubstr("resuming after step 3"));
  const TrainReport once = train_tiny(scratch / "one", R"({"training": {"steps": 6}})");
  EXPECT_EQ(further.state.tokens, once.state.tokens);
  EXPECT_EQ(further.state.step, 6);
}

TEST(Recipe, BlamesSettingsThatContradictEachOther) {
  const ScratchDirectory scratch;
  try {
    train_tiny(
        scratch.path(),
        R"({"model": {"decoder": {"kind": "transformer", "width": 6, "self": {"heads": 4}}}})");
    FAIL() << "6 channels cannot be shared by 4 heads";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("model"));
    EXPECT_EQ(error.fault(), Fault::usage);
  }
}

TEST(PlaceOn, KnowsTheBackends) {
  EXPECT_EQ(place_on("reference").dtype, DType::f32);
  EXPECT_NE(place_on("cpu").backend, place_on("reference").backend);
  try {
    place_on("cpuu");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("cpu"));
    EXPECT_EQ(error.fault(), Fault::usage);
  }
}

}  // namespace
}  // namespace heed
