// Pictures through whole recipes: every decoder that can caption, every score and every normaliser train
// on them, are saved, loaded and asked; runs go on exactly; ensembles, estimates and refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "heed/attention/normalisers.h"
#include "heed/attention/scores.h"
#include "heed/base/atomic_file.h"
#include "heed/base/file.h"
#include "heed/base/json.h"
#include "heed/config/apply.h"
#include "heed/config/explain.h"
#include "heed/engine/answer/answer.h"
#include "heed/engine/answer/in_words.h"
#include "heed/engine/run/recipe.h"
#include "heed/engine/shelf/place.h"
#include "heed/model/decoders.h"
#include "heed/model/encoders.h"
#include "heed/model/file/safetensors.h"
#include "heed/search/strategies.h"
#include "tests/base/scratch_directory.h"
#include "tests/media/made_pictures.h"
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
  AnswerOptions options;
  options.search.max_length = 5;
  options.search.weights = true;
  for (const int64_t beam : {1, 3}) {
    options.search.beam = beam;
    const auto said = answer(trained, scenes, options);
    ASSERT_EQ(said.size(), scenes.size());
    for (const auto& captions : said) {
      const Seen& seen = captions.front().looked();
      EXPECT_EQ(seen.grid, (GridExtent{3, 3}));
      if (attends && !seen.rows.empty()) {
        ASSERT_FALSE(seen.weights.empty());
        EXPECT_EQ(seen.weights.columns, 9U);
      }
    }
  }
}

/// Why a recipe is refused; empty if it is not.
std::string refusal(const std::string& more, Fault fault = Fault::usage) {
  const ScratchDirectory scratch;
  try {
    train_small(scratch / "run", more);
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), fault) << error.what();
    return error.what();
  }
  return "";
}

/// What a decoder needs besides its name, and whether it attends; or the reason for which it is refused.
struct DecoderCase {
  std::string recipe;
  bool attends = true;
  std::string refused = "";
};

TEST(PictureRecipes, EveryDecoderWritesCaptions) {
  const auto recurrent = [](const char* decoder, const char* cell) {
    return fmt::format(
        R"({{"model": {{"decoder": {{"kind": "{}", "cell": "{}", "width": 6, "embedding": 6}}}}}})",
        decoder, cell);
  };
  const std::string wide =
      R"("embedding": 8, "encoder": {"kind": "transformer", "width": 8, "depth": 1})";
  const std::map<std::string, DecoderCase> cases = {
      {"fixed", {recurrent("fixed", "gru"), false}},
      {"attend_first", {recurrent("attend_first", "gru")}},
      {"attend_after", {recurrent("attend_after", "gru")}},
      {"transformer",
       {R"({"model": {)" + wide +
        R"(, "decoder": {"kind": "transformer", "width": 8, "depth": 2, "cross": {"heads": 2}}}})"}},
      {"mask_predict",
       {R"({"model": {)" + wide + R"(, "decoder": {"kind": "mask_predict", "width": 8, "depth": 1}},
            "training": {"objectives": ["teacher_forcing", "lengths"]}})",
        false}},
      {"ctc", {R"({"model": {"decoder": "ctc"},
            "training": {"objectives": [{"kind": "ctc", "no_path": "skip"}]}})"}},
      {"labels",
       {R"({"model": {"decoder": "labels"}})", false, "must be 9 for the decoder labels"}},
      {"sequence_label",
       {R"({"model": {"decoder": "sequence_label"}})", false,
        "must be 1 for the decoder sequence_label"}},
  };
  for (const auto& decoder : decoders()) {
    const auto found = cases.find(decoder.name);
    ASSERT_NE(found, cases.end()) << decoder.name << " needs a line here";
    if (found->second.refused.empty()) {
      expect_captions(found->second.recipe, found->second.attends);
    } else {
      EXPECT_THAT(refusal(found->second.recipe, Fault::file), HasSubstr(found->second.refused));
    }
  }
  for (const char* decoder : {"attend_first", "attend_after"}) {
    expect_captions(recurrent(decoder, "lstm"), true);
  }
}

/// A memory that is not one slot for each cell would be drawn and printed as a grid that it is not.
TEST(PictureRecipes, EveryEncoderKeepsTheGridOrIsRefused) {
  const std::map<std::string, std::string> refused = {
      {"pyramid", "model.encoder: pyramid joins every 4 rows into one"},
      {"none", "model.encoder: none reads nothing"}};
  for (const auto& encoder : encoders()) {
    const Json settings = config_of(*encoder.make());
    std::string own;
    for (const Json::Member& one : *settings.get<Json::Object>()) {
      own += one.key == "width" ? R"(, "width": 8)" : one.key == "depth" ? R"(, "depth": 1)" : "";
    }
    const std::string recipe = fmt::format(
        R"({{"model": {{"embedding": 8, "encoder": {{"kind": "{}"{}}}}}}})", encoder.name, own);
    if (const auto found = refused.find(encoder.name); found != refused.end()) {
      EXPECT_THAT(refusal(recipe), HasSubstr(found->second));
    } else {
      expect_captions(recipe, true);
    }
  }
  expect_captions(R"({"model": {"encoder": {"kind": "pyramid", "width": 4, "halvings": 0}}})",
                  true);
}

TEST(PictureRecipes, EveryStrategyWritesCaptions) {
  const ScratchDirectory scratch;
  train_small(scratch / "run");
  const TrainedModel trained = trained_in(scratch / "run");
  for (const auto& strategy : strategies()) {
    AnswerOptions options;
    options.search.strategy = strategy.name;
    options.search.max_length = 5;
    options.search.weights = true;
    options.search.beam = options.search.n_best = 4;
    options.search.strategies.set("diverse", 2);
    options.phrases = strategy.name == "constrained" ? std::vector<std::string>{"red circle"}
                                                     : std::vector<std::string>{};
    const auto said = answer(trained, scenes, options);
    ASSERT_EQ(said.size(), 2U);
    for (const auto& captions : said) {
      EXPECT_GE(captions.best.size(), strategy.name == "beam" ? 4U : 1U) << strategy.name;
      for (const Reply& one : captions.best) {
        EXPECT_EQ(one.looked().grid, (GridExtent{3, 3}));
        EXPECT_EQ(in_words(one, trained).columns.size(), 9U);
        EXPECT_TRUE(options.phrases.empty() || one.text.find("red circle") != std::string::npos);
      }
    }
  }
}

/// A model that never says the end: its caption is bounded by what a picture may lead to, or by what is
/// asked for, and not by its 100 cells.
TEST(PictureRecipes, ACaptionThatDoesNotEndIsCut) {
  const ScratchDirectory scratch;
  train_small(scratch / "run",
              R"({"data": {"source": {"kind": "picture", "side": 40}}, "training": {"steps": 1,
                  "validate_every": 1}})");
  const TrainedModel trained = trained_in(scratch / "run");
  const SpecialTokens specials = trained.fields.target->specials();
  bool is_found = false;
  for (const NamedParameter& parameter : distinct_parameters_of(*trained.model)) {
    const auto words = static_cast<int64_t>(trained.fields.target->vocabulary().size());
    if (parameter.name.ends_with("bias") && parameter.tensor->shape() == Shape{words}) {
      std::vector<double> biases = parameter.tensor->values();
      biases[static_cast<size_t>(specials.end())] = -1e4;
      copy_values(Tensor::of(std::vector<float>(biases.begin(), biases.end()), {words},
                             trained.model->place()),
                  *parameter.tensor);
      is_found = true;
    }
  }
  ASSERT_TRUE(is_found) << "the bias of the words";
  const auto words_of = [&](const AnswerOptions& options) {
    AnswerOptions seeing = options;
    seeing.sees = true;
    const Reply said = answer(trained, scenes, seeing)[0].front();
    EXPECT_FALSE(said.ended);
    EXPECT_EQ(said.looked().grid, (GridExtent{10, 10}));
    return said.ids.size();
  };
  AnswerOptions options;
  EXPECT_EQ(words_of(options), 50U);
  options.search.max_length_factor = 1;
  EXPECT_EQ(words_of(options), 30U);
  options.search.max_length = 70;
  EXPECT_EQ(words_of(options), 70U);
  options.search.max_length = 7;
  EXPECT_EQ(words_of(options), 7U);
}

TEST(PictureRecipes, AWordThatIsNotKnownIsNamedAlone) {
  const ScratchDirectory scratch;
  train_small(scratch / "run");
  AnswerOptions options;
  options.prefix = "a whale";
  try {
    answer(trained_in(scratch / "run"), scenes, options);
    FAIL() << "no scene has a whale";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the model does not know \"whale\""));
  }
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

/// 12 pictures of noise, which no file format makes smaller, and a table of them.
std::string table_of_noise(const ScratchDirectory& scratch) {
  std::string table;
  for (uint64_t i = 0; i < 12; ++i) {
    Picture noise{100, 100, std::vector<uint8_t>(30'000)};
    const Draws draws(RandomKey{.seed = 5, .step = i, .stream = 0});
    for (size_t at = 0; at < noise.pixels.size(); ++at) {
      noise.pixels[at] = static_cast<uint8_t>(draws.below(at, 256));
    }
    write_atomically(scratch / fmt::format("{}.png", i), png_file(noise));
    table += fmt::format("{}.png\tnoise number {}\n", i, i % 3);
  }
  write_atomically(scratch / "noise.tsv", table);
  return scratch / "noise.tsv";
}

/// Pictures are changed at random by a key. Of the 360 kB of pictures memory may hold a quarter of a
/// megabyte, so they are on disk.
TEST(PictureRecipes, GoOnExactly) {
  const ScratchDirectory scratch;
  const std::string changes =
      fmt::format(R"({{"data": {{"synth": "", "train": ["{0}"], "valid": ["{0}"], "memory_mb": 1,
          "source": {{"kind": "picture", "side": 12, "flip": true, "random_crop": 0.7}}}},
          "model": {{"dropout": 0.2}}, "training": {{"steps": )",
                  table_of_noise(scratch));
  Recipe recipe;
  apply(recipe, parse_json(small, "test"));
  apply(recipe, parse_json(changes + "4}}", "test"));
  ASSERT_TRUE(recipe.data.load({.spill = scratch.path()}).train.is_on_disk());
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
  AnswerOptions options;
  options.search.max_length = 4;
  const auto score_of = [&](std::vector<const TrainedModel*> models) {
    return answer(models, scenes, options)[0].front().log_probability;
  };
  EXPECT_DOUBLE_EQ(score_of({&one, &one}), score_of({&one}));
  EXPECT_NE(score_of({&one, &two}), score_of({&one}));
  EXPECT_NE(score_of({&one, &two}), score_of({&two}));
}

/// Patches of 4 and of 6 pixels make grids of 3 × 3 and 2 × 2 cells.
TEST(PictureRecipes, ModelsWithDifferentGridsCaptionAsOneWithoutWeights) {
  const ScratchDirectory scratch;
  train_small(scratch / "one");
  train_small(scratch / "two", R"({"model": {"front": {"kind": "patches", "size": 6}}})");
  train_small(scratch / "large", R"({"data": {"source": {"kind": "picture", "side": 24}}})");
  const TrainedModel one = trained_in(scratch / "one");
  const TrainedModel two = trained_in(scratch / "two");
  const TrainedModel large = trained_in(scratch / "large");
  const std::vector<const TrainedModel*> both = {&one, &two};
  AnswerOptions options;
  options.search.max_length = 4;
  const double log_p = answer(both, scenes, options)[0].front().log_probability;
  EXPECT_NE(log_p, answer(one, scenes, options)[0].front().log_probability);
  options.search.weights = true;
  const auto message_of = [](const std::function<void()>& act) {
    try {
      act();
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::usage);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message_of([&] { answer(both, scenes, options); }),
              HasSubstr("grids of 3 × 3 and 2 × 2 cells"));
  const std::vector<std::string> names = {"one", "other"};
  const std::vector<const TrainedModel*> sides = {&one, &large};
  EXPECT_EQ(message_of([&] { check_same_vocabularies(both, names); }), "");
  EXPECT_THAT(message_of([&] { check_same_vocabularies(sides, names); }),
              HasSubstr("pictures of 12 × 12 pixels and other reads pictures of 24 × 24 pixels"));
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

/// 12 training pictures and their mirror images, and 3 of validation, of 12 × 12 cells with 2 numbers.
/// What is said to be kept is what a run writes.
TEST(PictureRecipes, AnEstimateTellsWhatIsComputedOnce) {
  const ScratchDirectory scratch;
  write_safetensors(scratch / "network.safetensors", made_up_network());
  const auto with = [&](const std::string& source, const std::string& front,
                        const std::string& more = "") {
    return fmt::format(R"({{"data": {{"source": {{"kind": "picture", {}}}{}}},
                            "model": {{"front": {{"kind": "convolutional", "layer": "s",
                                                  "network": "{}"{}}}}},
                            "training": {{"steps": 8, "validate_every": 8}}}})",
                       source, more, scratch / "network.safetensors", front);
  };
  const auto estimated = [&](const std::string& changes) {
    Recipe recipe;
    apply(recipe, parse_json(small, "test"));
    apply(recipe, parse_json(changes, "test"));
    return estimate(recipe, run_in(scratch / "run"));
  };
  int runs = 0;
  const auto written = [&](const std::string& changes) -> uint64_t {
    const std::string folder = scratch / fmt::format("run{}", ++runs);
    train_small(folder, changes);
    const std::string file = folder + "/features.cache";
    return file_exists(file) ? read_file(file).size() : 0;
  };
  const double grid = 32 + 32 + 3 * 4 + 12 * 12 * 2 * 4;  // key, hash, extent and cells in the file
  const Estimate once = estimated(with(R"("side": 12)", ""));
  EXPECT_NEAR(static_cast<double>(once.kept_bytes), 15 * grid, 200);
  EXPECT_NEAR(static_cast<double>(written(with(R"("side": 12)", ""))), 15 * grid, 200);
  EXPECT_EQ(once.disk_bytes, 2 * once.model_bytes + 4 * once.checkpoint_bytes + once.kept_bytes);
  EXPECT_NEAR(static_cast<double>(estimated(with(R"("side": 12, "flip": true)", "")).kept_bytes),
              27 * grid, 300);
  for (const std::string& changes :
       {with(R"("side": 12)", R"(, "cache": 0)"), with(R"("side": 12)", R"(, "frozen": false)"),
        with(R"("side": 12, "random_crop": 0.5)", "")}) {
    const Estimate e = estimated(changes);
    EXPECT_EQ(e.once_seconds, 0);
    EXPECT_EQ(e.kept_bytes, 0U);
    EXPECT_EQ(written(changes), 0U) << changes;
  }
  // 83 pictures of 48 × 48 cells need 1.5 MB, but one may be kept.
  const std::string large = with(R"("side": 48)", R"(, "cache": 1)", R"(, "train_examples": 80)");
  const Estimate capped = estimated(large);
  EXPECT_EQ(capped.kept_bytes, uint64_t{1} << 20);
  const uint64_t in_file = written(large);
  EXPECT_LE(in_file, capped.kept_bytes);
  EXPECT_GE(in_file, capped.kept_bytes * 3 / 4);
  EXPECT_FALSE(directory_exists(scratch / "run"));
}

/// The error names the pairing and not the table, which does not exist.
TEST(PictureRecipes, AWrongPairingIsRefusedBeforeAnythingIsRead) {
  const std::string absent =
      R"("synth": "", "train": ["/absent/table.tsv"], "valid": ["/absent/table.tsv"])";
  const std::string words =
      refusal(R"({"data": {)" + absent + R"(}, "model": {"front": "words"}})");
  EXPECT_THAT(words, HasSubstr("model.front: words does not read"));
  EXPECT_THAT(words, Not(HasSubstr("/absent")));
  const std::string text = refusal(R"({"data": {)" + absent + R"(, "source": "text"}})");
  EXPECT_THAT(text, HasSubstr("model.front: patches does not read"));
  EXPECT_THAT(text, Not(HasSubstr("/absent")));
  const std::string pyramid =
      refusal(R"({"data": {)" + absent + R"(}, "model": {"encoder": "pyramid"}})");
  EXPECT_THAT(pyramid, HasSubstr("model.encoder: pyramid joins every 4 rows into one"));
  EXPECT_THAT(pyramid, Not(HasSubstr("/absent")));
}

}  // namespace
}  // namespace heed::test::picture_recipe_slow_test
