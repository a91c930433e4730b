#include "heed/engine/run/recipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <utility>

#include "heed/base/file.h"
#include "heed/base/json.h"
#include "heed/config/apply.h"
#include "heed/config/explain.h"
#include "heed/engine/answer/answer.h"
#include "heed/engine/shelf/place.h"
#include "heed/metric/metrics.h"
#include "tests/base/scratch_directory.h"

namespace heed::recipe_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

constexpr const char* tiny = R"({
  "data": {"synth": "reverse", "train_examples": 40, "valid_examples": 6},
  "model": {"embedding": 4, "encoder": {"kind": "bag"},
            "decoder": {"kind": "attend_first", "width": 5, "embedding": 4}},
  "training": {"steps": 3, "batch_sentences": 8, "validate_every": 2, "samples": 0}})";

/// What runs have said since somebody took it.
std::string said_so_far;

std::string take_said() { return std::exchange(said_so_far, ""); }

RecipeRun run_in(const std::string& folder, const std::string& name = "tiny") {
  RecipeRun run{.folder = folder, .place = place_on("reference"), .name = name};
  run.hooks.say = [](const std::string& line) { said_so_far += line + "\n"; };
  return run;
}

TrainReport train_tiny(const std::string& folder, const std::string& more = "{}") {
  Recipe recipe;
  apply(recipe, parse_json(tiny, "test"));
  apply(recipe, parse_json(more, "test"));
  return train(recipe, run_in(folder));
}

TEST(Recipe, TrainsAModelThatTranslates) {
  const ScratchDirectory scratch;
  EXPECT_EQ(train_tiny(scratch.path()).ending, Ending::finished);
  EXPECT_THAT(take_said(), HasSubstr("tiny: 40 training and 6 validation pairs"));
  const TrainedModel trained = load_model(scratch / "model.safetensors", place_on("reference"));
  EXPECT_EQ(trained.about.at("recipe"), "tiny");
  EXPECT_EQ(answer_texts(trained, std::vector<std::string>{"a b", ""}, {}).size(), 2U);
}

TEST(Recipe, NamesLanguagesByTheirCodes) {
  const ScratchDirectory scratch;
  train_tiny(scratch.path(),
             R"({"about": {"source_language": "en", "target_language": "zh-Hans-CN"}})");
  const TrainedModel trained = load_model(scratch / "model.safetensors", place_on("reference"));
  EXPECT_EQ(trained.about.at("source_language"), "en");
  EXPECT_EQ(trained.about.at("target_language"), "zh-Hans-CN");
  for (const char* wrong : {"English", "e", "en-", "e1", "en_GB", "en-verylongpart", "zh "}) {
    Recipe recipe;
    const Json about = Json::object().set("target_language", wrong);
    EXPECT_THROW(configure(recipe, Json::object().set("about", about)), Error) << wrong;
  }
}

TEST(Recipe, GoesOnWhereItWasLeft) {
  const ScratchDirectory scratch;
  train_tiny(scratch / "two");
  const TrainReport further = train_tiny(scratch / "two", R"({"training": {"steps": 6}})");
  EXPECT_THAT(take_said(), HasSubstr("resuming after step 3"));
  const TrainReport once = train_tiny(scratch / "one", R"({"training": {"steps": 6}})");
  EXPECT_EQ(further.state.tokens, once.state.tokens);
  EXPECT_EQ(further.state.step, 6);
}

/// Some windows of made-up dates, in batches by tokens.
constexpr const char* streamed = R"({
  "data": {"synth": "dates", "train_examples": 20000, "memory_mb": 1},
  "training": {"steps": 30, "batch_sentences": 0, "batch_tokens": 400, "pool": 4, "save_every": 7,
               "validate_every": 0}})";

TEST(Recipe, OfMoreDataThanMemoryGoesOnBitForBit) {
  const ScratchDirectory scratch;
  train_tiny(scratch / "once", streamed);
  Recipe shorter;
  apply(shorter, parse_json(tiny, "test"));
  apply(shorter, parse_json(streamed, "test"));
  shorter.training.steps = 17;
  train(shorter, run_in(scratch / "twice"));
  train_tiny(scratch / "twice", streamed);
  EXPECT_THAT(take_said(), HasSubstr("resuming after step 17"));
  EXPECT_EQ(read_file(scratch / "once/model.safetensors"),
            read_file(scratch / "twice/model.safetensors"));
  train_tiny(scratch / "whole", R"({"data": {"synth": "dates", "train_examples": 20000},
    "training": {"steps": 30, "batch_sentences": 0, "batch_tokens": 400, "pool": 4,
                 "validate_every": 0}})");
  EXPECT_NE(read_file(scratch / "once/model.safetensors"),
            read_file(scratch / "whole/model.safetensors"))
      << "windows are shuffled another way";
}

/// How often a file was opened while this lived.
class Opened {
 public:
  explicit Opened(const std::string& path) : watch_(inotify_init1(IN_NONBLOCK)) {
    EXPECT_GE(inotify_add_watch(watch_, path.c_str(), IN_OPEN), 0) << path;
  }
  ~Opened() { close(watch_); }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  int times() const {
    int count = 0;
    alignas(inotify_event) char events[sizeof(inotify_event)];
    // Of a watched file there are no names, so events have one size; the last says that it was deleted.
    while (read(watch_, events, sizeof events) == static_cast<ssize_t>(sizeof events)) {
      count += (reinterpret_cast<const inotify_event*>(events)->mask & IN_OPEN) != 0 ? 1 : 0;
    }
    return count;
  }

 private:
  int watch_;
};

TEST(Recipe, ReadsItsCheckpointOnceWhenItGoesOn) {
  const ScratchDirectory scratch;
  const std::string subwords = R"({"data": {"synth": "numbers", "source_tokens": "bpe",
    "source_vocabulary": 300}, "training": {"steps": )";
  train_tiny(scratch / "run", subwords + "3}}");
  const Opened opened(scratch / "run/checkpoints/step-00000003.safetensors");
  train_tiny(scratch / "run", subwords + "6}}");
  EXPECT_THAT(take_said(), HasSubstr("resuming after step 3"));
  EXPECT_EQ(opened.times(), 1);
}

TEST(Recipe, SaysWhatIsLeftOut) {
  const ScratchDirectory scratch;
  train_tiny(scratch.path(), R"({"data": {"max_source": 11}})");
  EXPECT_THAT(take_said(), HasSubstr("tiny: left out of the training data: "));
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

TEST(Recipe, ShowsTranslationsWithTheirHeatMaps) {
  const ScratchDirectory scratch;
  train_tiny(scratch / "attends", R"({"training": {"samples": 2}})");
  const std::string text = read_file(scratch / "attends/samples/step-00000003.txt");
  EXPECT_THAT(text, HasSubstr("source     "));
  EXPECT_THAT(text, HasSubstr("\n\nsource     "));
  // The output of an untrained model may be empty; then there is nothing to draw.
  const bool says_something = text.find("output     \n") == std::string::npos;
  if (says_something) {
    EXPECT_THAT(read_file(scratch / "attends/samples/step-00000003.1.svg"), HasSubstr("<svg"));
  }
  train_tiny(scratch / "blind",
             R"({"model": {"decoder": {"kind": "fixed"}}, "training": {"samples": 4}})");
  EXPECT_THAT(list_directory(scratch / "blind/samples"),
              ElementsAre("step-00000002.txt", "step-00000003.txt"));
  train_tiny(scratch / "none");
  EXPECT_FALSE(directory_exists(scratch / "none/samples"));
}

TEST(Recipe, IsJudgedByAnyMetricAndBeam) {
  const ScratchDirectory scratch;
  for (const auto& entry : metrics()) {
    if (!entry.make()->reads_text()) {
      continue;
    }
    const TrainReport report = train_tiny(
        scratch / entry.name,
        fmt::format(R"({{"training": {{"metric": "{}", "search": {{"beam": 3}}}}}})", entry.name));
    EXPECT_TRUE(report.state.gains.best) << entry.name;
    EXPECT_THAT(read_file(scratch.path() + "/" + entry.name + "/metrics.jsonl"),
                HasSubstr("\"metric\":\"" + entry.name + "\""));
  }
}

TEST(Recipe, SearchesAsWideAsItIsTold) {
  const ScratchDirectory scratch;
  std::vector<std::string> said;
  for (const char* beam : {"1", "6"}) {
    train_tiny(scratch / beam,
               fmt::format(R"({{"training": {{"samples": 6, "search": {{"beam": {}}}}}}})", beam));
    said.push_back(read_file(scratch.path() + "/" + beam + "/samples/step-00000003.txt"));
  }
  EXPECT_NE(said[0], said[1]);
}

/// A recipe with only the settings `model` for its model, which starts from `init`.
Recipe& starting(Recipe& recipe, const std::string& init, const std::string& model = "{}") {
  configure(recipe, parse_json(fmt::format(R"({{"model": {}, "training": {{"init": "{}", "steps": 2,
      "optimiser": {{"learning_rate": 0}}}},
      "data": {{"synth": "reverse", "train_examples": 30, "valid_examples": 7, "synth_seed": 3}}}})",
                                           model, init),
                               "test"));
  return recipe;
}

TEST(Recipe, StartsFromAModel) {
  const ScratchDirectory scratch;
  train_tiny(scratch / "first");
  const std::string path = scratch / "first/model.safetensors";
  Recipe recipe;
  train(starting(recipe, path, R"({"dropout": 0.1})"), run_in(scratch / "second", "second"));
  EXPECT_THAT(take_said(), HasSubstr("second: starting from " + path));
  const TrainedModel before = load_model(path, place_on("reference"));
  const TrainedModel after =
      load_model(scratch / "second/model.safetensors", place_on("reference"));
  EXPECT_EQ(after.fields.source->vocabulary().to_bytes(),
            before.fields.source->vocabulary().to_bytes());
  EXPECT_EQ(after.about.at("init"), path);
  Json config = config_of(*before.model);
  EXPECT_EQ(config_of(*after.model), config.set("dropout", 0.1));
  // A rate of 0 leaves the weights as they were.
  const auto from = distinct_parameters_of(*before.model);
  const auto to = distinct_parameters_of(*after.model);
  ASSERT_EQ(from.size(), to.size());
  for (size_t i = 0; i < from.size(); ++i) {
    EXPECT_EQ(from[i].tensor->values(), to[i].tensor->values()) << from[i].name;
  }
}

TEST(Recipe, NamesWhatDoesNotFitTheModelItStartsFrom) {
  const ScratchDirectory scratch;
  train_tiny(scratch / "first");
  const auto refusal = [&](const std::string& init, const std::string& model) -> std::string {
    try {
      Recipe recipe;
      train(starting(recipe, init, model), run_in(scratch / "second", "second"));
    } catch (const Error& error) {
      return fmt::format("{} {}", static_cast<int>(error.fault()), error.what());
    }
    return "nothing failed";
  };
  const std::string path = scratch / "first/model.safetensors";
  EXPECT_THAT(refusal(path, R"({"decoder": {"width": 9}})"),
              MatchesRegex("2 training.init: .*: its decoder.* has the shape .*, but this recipe's "
                           "has .* .model.decoder.width was 5, is 9.; leave .*"));
  EXPECT_THAT(refusal(path, R"({"encoder": {"kind": "gru"}})"),
              AllOf(HasSubstr("2 training.init: "), HasSubstr("it has no encoder"),
                    HasSubstr("(model.encoder")));
  EXPECT_THAT(refusal(scratch / "absent.safetensors", "{}"), HasSubstr("absent.safetensors"));
  EXPECT_FALSE(directory_exists(scratch / "second"));
}

TEST(Recipe, CanBeTrainedTwice) {
  const ScratchDirectory scratch;
  Recipe recipe;
  apply(recipe, parse_json(tiny, "test"));
  const Json before = config_of(recipe);
  estimate(recipe, run_in(scratch / "none"));
  for (const char* folder : {"one", "two"}) {
    train(recipe, run_in(scratch / folder));
  }
  EXPECT_EQ(config_of(recipe), before);
  EXPECT_EQ(read_file(scratch / "one/model.safetensors"),
            read_file(scratch / "two/model.safetensors"));
}

/// Rows of numbers to letters, through everything that text goes through.
constexpr const char* features = R"({
  "data": {"synth": "signals", "train_examples": 40, "valid_examples": 6,
           "source": {"kind": "features", "width": 8, "noise": 0.1, "masks": 1, "mask_rows": 1}},
  "model": {"front": {"kind": "frames", "stack": 2, "stride": 2}}})";

TEST(Recipe, OfFeaturesTrainsGoesOnAndIsDrawn) {
  const ScratchDirectory scratch;
  const TrainReport once = train_tiny(scratch / "one", features);
  EXPECT_TRUE(once.state.gains.best);
  const TrainedModel trained = load_model(scratch / "one/model.safetensors", place_on("reference"));
  EXPECT_EQ(trained.fields.source->kind(), "features");
  AnswerOptions options;
  options.search.weights = true;
  options.search.max_length = 3;
  const std::vector<std::string> cells = {"1 0 0 0 0 0 0 0; 0 1 0 0 0 0 0 0; 0 0 1 0 0 0 0 0", ""};
  const auto said = answer(trained, cells, options);
  ASSERT_EQ(said.size(), 2U);
  EXPECT_THAT(said[0].front().looked().columns, ElementsAre("0", "2"))
      << "a slot begins at every other row";
  ASSERT_FALSE(said[0].front().looked().weights.empty());
  EXPECT_EQ(said[0].front().looked().weights.columns, 2U);
  EXPECT_EQ(heat_map(said[0].front().looked(), true).columns.size(), 2U);
  EXPECT_TRUE(said[1].front().text.empty());
  train_tiny(scratch / "two", features);
  const std::string more = std::string(features).substr(0, std::string(features).size() - 1) +
                           R"(, "training": {"steps": 6}})";
  train_tiny(scratch / "two", more);
  EXPECT_THAT(take_said(), HasSubstr("resuming after step 3"));
  train_tiny(scratch / "whole", more);
  EXPECT_EQ(read_file(scratch / "two/model.safetensors"),
            read_file(scratch / "whole/model.safetensors"));
}

TEST(Recipe, RefusesAFrontThatDoesNotReadItsField) {
  const ScratchDirectory scratch;
  try {
    train_tiny(scratch / "run", R"({"data": {"source": "features"}})");
    FAIL() << "words do not read numbers";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("model.front: words does not read"));
    EXPECT_EQ(error.fault(), Fault::usage);
  }
  EXPECT_FALSE(directory_exists(scratch / "run"));
}

TEST(Recipe, EstimatesWhatItWillTake) {
  const ScratchDirectory scratch;
  Recipe recipe;
  apply(recipe, parse_json(tiny, "test"));
  apply(recipe, parse_json(R"({"training": {"metric": "cer", "keep": 4}})", "test"));
  const Estimate e = estimate(recipe, run_in(scratch / "run"));
  EXPECT_FALSE(directory_exists(scratch / "run"));
  EXPECT_EQ(e.steps, 3);
  EXPECT_EQ(e.validations, 2);
  EXPECT_GT(e.step_seconds, 0);
  EXPECT_GT(e.validation_seconds, 0);
  EXPECT_GT(e.tokens_per_second, 0);
  EXPECT_GT(e.memory_bytes, 1000000U);
  train_tiny(scratch / "run");
  const std::string checkpoint = read_file(scratch / "run/checkpoints/step-00000003.safetensors");
  const std::string model = read_file(scratch / "run/model.safetensors");
  EXPECT_NEAR(static_cast<double>(e.checkpoint_bytes), static_cast<double>(checkpoint.size()), 900);
  EXPECT_NEAR(static_cast<double>(e.model_bytes), static_cast<double>(model.size()), 200);
  EXPECT_EQ(e.disk_bytes, 2 * e.model_bytes + 5 * e.checkpoint_bytes);
  EXPECT_EQ(e.parameters,
            count_parameters(
                *load_model(scratch / "run/model.safetensors", place_on("reference")).model));
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
}  // namespace heed::recipe_test
