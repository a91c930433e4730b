// Pictures through whole recipes: every decoder that can caption, every score and every normaliser train
// on them, are saved, loaded and asked; runs go on exactly; ensembles, estimates and refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "heed/attention/normalisers.h"
#include "heed/attention/scores.h"
#include "heed/base/file.h"
#include "heed/base/json.h"
#include "heed/config/apply.h"
#include "heed/engine/place.h"
#include "heed/engine/recipe.h"
#include "heed/engine/translation.h"
#include "heed/model/safetensors.h"
#include "tests/base/scratch_directory.h"
#include "tests/model/made_up_network.h"

namespace heed::test::picture_recipe_slow_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* small = R"({
  "data": {"synth": "shapes", "source": {"kind": "picture", "side": 12}, "train_examples": 12,
           "valid_examples": 3, "target_tokens": "words"},
  "model": {"embedding": 6, "front": {"kind": "patches", "size": 4}, "encoder": "identity",
            "decoder": {"kind": "attend_first", "width": 6, "embedding": 6}},
  "training": {"steps": 2, "batch_sentences": 6, "validate_every": 2, "samples": 1,
               "search": {"max_length": 5}}})";
const std::vector<std::string> scenes = {
    "shapes: ground 656176 noise 21 7; red circle ff0000 500 500 200 0",
    "shapes: ground b09c99 noise 12 9; blue star 0000ff 300 600 150 20"};

RecipeRun run_in(const std::string& folder) {
  return {.folder = folder, .place = place_on("reference"), .name = "pictures"};
}

TrainReport train_small(const std::string& folder, const std::string& more = "{}") {
  Recipe recipe;
  apply(recipe, parse_json(small, "test"));
  apply(recipe, parse_json(more, "test"));
  return train(recipe, run_in(folder));
}

TrainedModel trained_in(const std::string& folder) {
  return load_model(folder + "/model.safetensors", place_on("reference"));
}

/// Trains, loads and asks: a grid of 3 × 3 cells, and weights where the decoder has some.
void expect_captions(const std::string& more, bool attends) {
  SCOPED_TRACE(more);
  const ScratchDirectory scratch;
  ASSERT_EQ(train_small(scratch / "run", more).ending, Ending::finished);
  const TrainedModel trained = trained_in(scratch / "run");
  TranslateOptions options;
  options.search.max_length = 5;
  options.search.weights = true;
  for (const int64_t beam : {1, 3}) {
    options.search.beam = beam;
    const auto said = translate(trained, scenes, options);
    ASSERT_EQ(said.size(), scenes.size());
    for (const auto& captions : said) {
      EXPECT_EQ(captions.front().grid, (GridExtent{3, 3}));
      if (attends && !captions.front().target.empty()) {
        ASSERT_FALSE(captions.front().weights.empty());
        EXPECT_EQ(captions.front().weights.front().size(), 9U);
      }
    }
  }
}

TEST(PictureRecipes, EveryDecoderWritesCaptions) {
  expect_captions(R"({"model": {"decoder": {"kind": "fixed", "width": 6, "embedding": 6}}})",
                  false);
  for (const char* decoder : {"attend_first", "attend_after"}) {
    for (const char* cell : {"gru", "lstm"}) {
      expect_captions(
          fmt::format(R"({{"model": {{"decoder": {{"kind": "{}", "cell": "{}", "width": 6,
                                      "embedding": 6}}}}}})",
                      decoder, cell),
          true);
    }
  }
  expect_captions(
      R"({"model": {"embedding": 8, "encoder": {"kind": "transformer", "width": 8, "depth": 1},
      "decoder": {"kind": "transformer", "width": 8, "depth": 2, "cross": {"heads": 2}}}})",
      true);
  expect_captions(
      R"({"model": {"embedding": 8, "encoder": {"kind": "transformer", "width": 8, "depth": 1},
      "decoder": {"kind": "mask_predict", "width": 8, "depth": 1}},
      "training": {"objectives": ["teacher_forcing", "lengths"]}})",
      false);
}

TEST(PictureRecipes, EveryScoreAndNormaliserAttendsToCells) {
  const auto with = [](const std::string& attention, const std::string& training) {
    return R"({"model": {"decoder": {"attention": )" + attention + R"(}}, "training": )" +
           training + "}";
  };
  for (const auto& score : scores()) {
    expect_captions(with(R"({"score": ")" + score.name + R"(", "project": true})", "{}"), true);
  }
  for (const auto& normaliser : normalisers()) {
    const bool is_hard = normaliser.name == "hard";
    expect_captions(with(R"({"score": "additive", "normaliser": ")" + normaliser.name + R"("})",
                         is_hard ? R"({"objectives": ["teacher_forcing", "reinforce"]})" : "{}"),
                    true);
  }
}

TEST(PictureRecipes, GoOnExactly) {
  // Pictures are changed at random by a key, and what memory does not hold is on disk.
  const std::string changes = R"({"data": {"memory_mb": 1, "source": {"kind": "picture", "side": 12,
      "flip": true, "random_crop": 0.7}}, "model": {"dropout": 0.2}, "training": {"steps": )";
  const ScratchDirectory scratch;
  train_small(scratch / "whole", changes + "4}}");
  train_small(scratch / "cut", changes + "2}}");
  train_small(scratch / "cut", changes + "4}}");
  EXPECT_EQ(read_file(scratch / "cut/model.safetensors"),
            read_file(scratch / "whole/model.safetensors"));
}

/// The weights of the network in a run's model.
std::map<std::string, std::string> network_in(const std::string& folder) {
  std::map<std::string, std::string> weights;
  for (const FileTensor& tensor : read_safetensors(folder + "/model.safetensors").tensors) {
    if (tensor.name.find("network") != std::string::npos) {
      weights[tensor.name] = tensor.bytes.text();
    }
  }
  return weights;
}

/// A network with a depthwise layer that was trained before. Fine-tuned, all of its weights change, and a
/// run goes on exactly; frozen, none does.
TEST(PictureRecipes, ANetworkIsFineTunedOrLeftAlone) {
  const ScratchDirectory scratch;
  const std::string path = scratch / "network.safetensors";
  write_safetensors(path, made_up_network());
  const auto changes = [&](const char* frozen, int steps) {
    return fmt::format(
        R"({{"model": {{"front": {{"kind": "convolutional", "network": "{}", "layer": "s",
        "frozen": {}}}}}, "training": {{"steps": {}, "validate_every": {}}}}})",
        path, frozen, steps, steps);
  };
  train_small(scratch / "begun", changes("true", 1));
  train_small(scratch / "frozen", changes("true", 3));
  train_small(scratch / "tuned", changes("false", 3));
  const auto before = network_in(scratch / "begun");
  const auto tuned = network_in(scratch / "tuned");
  ASSERT_EQ(before.size(), 4U) << "the weights and biases of a and d";
  EXPECT_EQ(network_in(scratch / "frozen"), before);
  for (const auto& [name, bytes] : before) {
    EXPECT_NE(tuned.at(name), bytes) << name;
  }
  train_small(scratch / "cut", changes("false", 1));
  train_small(scratch / "cut", changes("false", 3));
  EXPECT_EQ(network_in(scratch / "cut"), tuned);
}

TEST(PictureRecipes, SeveralModelsCaptionAsOne) {
  const ScratchDirectory scratch;
  train_small(scratch / "one");
  train_small(scratch / "two", R"({"training": {"seed": 8}})");
  const TrainedModel one = trained_in(scratch / "one");
  const TrainedModel two = trained_in(scratch / "two");
  TranslateOptions options;
  options.search.max_length = 4;
  const auto score_of = [&](std::vector<const TrainedModel*> models) {
    return translate(models, scenes, options)[0].front().log_probability;
  };
  EXPECT_DOUBLE_EQ(score_of({&one, &one}), score_of({&one}));
  EXPECT_NE(score_of({&one, &two}), score_of({&one}));
  EXPECT_NE(score_of({&one, &two}), score_of({&two}));
}

TEST(PictureRecipes, AnEstimateTrainsNothing) {
  const ScratchDirectory scratch;
  Recipe recipe;
  apply(recipe, parse_json(small, "test"));
  const Estimate expected = estimate(recipe, run_in(scratch / "run"));
  EXPECT_EQ(expected.steps, 2);
  EXPECT_GT(expected.step_seconds, 0);
  EXPECT_FALSE(directory_exists(scratch / "run"));
}

/// The error names the pairing and not the table, which does not exist.
TEST(PictureRecipes, AWrongPairingIsRefusedBeforeAnythingIsRead) {
  const ScratchDirectory scratch;
  const std::string absent =
      R"("synth": "", "train": ["/absent/table.tsv"], "valid": ["/absent/table.tsv"])";
  const auto refusal = [&](const std::string& more) {
    try {
      train_small(scratch / "run", more);
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::usage);
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  const std::string words =
      refusal(R"({"data": {)" + absent + R"(}, "model": {"front": "words"}})");
  EXPECT_THAT(words, HasSubstr("model.front: words does not read"));
  EXPECT_THAT(words, Not(HasSubstr("/absent")));
  const std::string text = refusal(R"({"data": {)" + absent + R"(, "source": "text"}})");
  EXPECT_THAT(text, HasSubstr("model.front: patches does not read"));
  EXPECT_THAT(text, Not(HasSubstr("/absent")));
  EXPECT_FALSE(directory_exists(scratch / "run"));
}

}  // namespace
}  // namespace heed::test::picture_recipe_slow_test
