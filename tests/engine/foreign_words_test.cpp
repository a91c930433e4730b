#include "heed/engine/foreign_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "heed/base/json.h"
#include "heed/config/apply.h"
#include "heed/config/explain.h"
#include "heed/engine/recipe_file.h"

namespace heed::test::foreign_words_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// The paths of the settings of several recipes.
std::set<std::string> known_paths() {
  std::set<std::string> paths;
  for (const char* tree : {"{}", R"({"model": {"encoder": "gru", "decoder": "attend_after"}})",
                           R"({"model": {"encoder": "pyramid", "decoder": "attend_first"}})",
                           R"({"model": {"encoder": "transformer", "decoder": "transformer"}})"}) {
    Recipe recipe;
    apply(recipe, parse_json(tree, "test"));
    for (const SettingHelp& setting : explain(recipe)) {
      paths.insert(setting.path);
    }
  }
  return paths;
}

TEST(ForeignWords, PointToSettingsThatExist) {
  const std::set<std::string> known = known_paths();
  for (const ForeignWord& word : foreign_words()) {
    for (const std::string_view path : {word.path, word.other}) {
      const bool is_any_part = path.starts_with("*.");
      const std::string ending(is_any_part ? path.substr(1) : path);
      const bool is_there = path.empty() || ending == ".kind" ||
                            std::any_of(known.begin(), known.end(), [&](const std::string& one) {
                              return is_any_part ? one.ends_with(ending) : one == ending;
                            });
      EXPECT_TRUE(is_there) << word.word << ": " << path;
    }
  }
}

TEST(ForeignWords, AreListedOnceInSmallLetters) {
  std::set<std::string_view> seen;
  for (const ForeignWord& word : foreign_words()) {
    EXPECT_TRUE(seen.insert(word.word).second) << word.word;
    EXPECT_EQ(word.word.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"),
              std::string_view::npos);
  }
}

TEST(ForeignWords, BecomeTheEndOfAMessage) {
  EXPECT_EQ(in_heeds_words("Batch-Size"),
            "; in heed it is training.batch_sentences or training.batch_tokens");
  EXPECT_EQ(in_heeds_words("bidirectional"), "; in heed it is model.encoder.direction = \"both\"");
  EXPECT_EQ(in_heeds_words("type"), "; in heed it is kind");
  EXPECT_EQ(in_heeds_words("steps_of_dance"), "");
}

std::string fault_of(const std::string& text, const std::vector<std::string>& sets = {}) {
  Recipe recipe;
  RecipeFile file = parse_recipe(text, "r.toml");
  for (const std::string& one : sets) {
    override_setting(file, one);
  }
  try {
    configure(recipe, file, ModelShelf());
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing failed";
}

/// The recipe of somebody who comes from Keras: every line is answered, in the order of the file.
TEST(ForeignWords, AnswerEveryLineOfARecipeInOtherWords) {
  EXPECT_THAT(
      fault_of(R"([data]
vocab_size = 8000
[model]
encoder = { kind = "gru", type = "lstm", hidden_size = 128, layers = 2, bidirectional = true }
[training]
batch_size = 64
lr = 0.001
max_epochs = 3
early_stopping = 5
stesp = 7
zzzzzzzz = 7
)"),
      StartsWith(
          R"(r.toml:2:1: data.vocab_size: unknown setting; in heed it is data.source_vocabulary or data.target_vocabulary
r.toml:4:27: model.encoder.type: unknown setting of gru; in heed it is kind
r.toml:4:42: model.encoder.hidden_size: unknown setting of gru; in heed it is model.encoder.width or model.decoder.width
r.toml:4:61: model.encoder.layers: unknown setting of gru; in heed it is model.encoder.depth or model.decoder.depth
r.toml:4:73: model.encoder.bidirectional: unknown setting of gru; in heed it is model.encoder.direction = "both"
r.toml:6:1: training.batch_size: unknown setting; in heed it is training.batch_sentences or training.batch_tokens
r.toml:7:1: training.lr: unknown setting; in heed it is training.optimiser.learning_rate
r.toml:8:1: training.max_epochs: unknown setting; in heed it is training.epochs
r.toml:9:1: training.early_stopping: unknown setting; in heed it is training.patience
r.toml:10:1: training.stesp: unknown setting; did you mean "steps"?
r.toml:11:1: training.zzzzzzzz: unknown setting; there are steps, epochs, )"));
}

/// There is a setting data.train, but a table [train] is [training].
TEST(ForeignWords, ATableIsComparedWithTables) {
  EXPECT_EQ(fault_of("[train]\nsteps = 7\n"),
            "r.toml:1:2: train: unknown setting; did you mean \"training\"?");
}

TEST(ForeignWords, ASettingOfTheCommandLineIsBlamedByItsOwnWords) {
  EXPECT_THAT(fault_of("[model]\nembedding = 4\n", {"model.attention.score=dot"}),
              HasSubstr("--set model.attention.score=dot: model.attention: unknown setting"));
  EXPECT_THAT(fault_of("[model]\nembedding = 4\n", {"model.attention.score=dot"}),
              Not(HasSubstr("r.toml")));
}

}  // namespace
}  // namespace heed::test::foreign_words_test
