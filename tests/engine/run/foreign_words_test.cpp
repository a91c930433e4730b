#include "heed/engine/run/foreign_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "heed/base/json.h"
#include "heed/config/apply.h"
#include "heed/config/explain.h"
#include "heed/engine/run/recipe_file.h"

namespace heed::test::foreign_words_test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// Recipes that have every setting which a word points to between them.
constexpr const char* trees[] = {
    "{}", R"({"model": {"encoder": "gru", "decoder": "attend_after"}})",
    R"({"model": {"encoder": "pyramid", "decoder": "attend_first"},
        "training": {"optimiser": "sgd", "schedule": "cosine"}})",
    R"({"model": {"encoder": "transformer", "decoder": "transformer"}})"};

std::vector<SettingHelp> settings_of(Recipe& recipe, const char* tree) {
  apply(recipe, parse_json(tree, "test"));
  return explain(recipe);
}

/// The texts between the separators.
std::vector<std::string> split(std::string text, const std::string& separator) {
  std::vector<std::string> parts;
  for (size_t at = text.find(separator); at != std::string::npos; at = text.find(separator)) {
    parts.push_back(text.substr(0, at));
    text.erase(0, at + separator.size());
  }
  parts.push_back(text);
  return parts;
}

/// Whatever table somebody writes the word in, the answer names settings that this recipe has, or says
/// which part lacks them; and every word has an answer.
TEST(ForeignWords, PointToSettingsThatTheRecipeHas) {
  std::set<std::string_view> answered;
  for (const char* tree : trees) {
    Recipe recipe;
    std::set<std::string> known;
    for (const SettingHelp& setting : settings_of(recipe, tree)) {
      known.insert(setting.path);
      if (setting.type == "part") {
        known.insert(setting.path + ".kind");
      }
    }
    for (const ForeignWord& word : foreign_words()) {
      for (const std::string table : {"", "data.", "training.", "model.", "model.encoder.",
                                      "model.decoder.", "model.decoder.attention."}) {
        const std::string hint = in_heeds_words(table + std::string(word.word), recipe);
        if (hint.empty() || !word.advice.empty() || hint.ends_with(" does not have")) {
          answered.insert(word.advice.empty() ? "" : word.word);
          continue;
        }
        answered.insert(word.word);
        ASSERT_THAT(hint, StartsWith("; in heed it is "));
        for (const std::string& one : split(hint.substr(16), " or ")) {
          const std::string path = one.substr(0, one.find(" = "));
          EXPECT_TRUE(known.contains(path) || path.ends_with("].kind"))
              << table << word.word << ": " << path;
        }
      }
    }
  }
  for (const ForeignWord& word : foreign_words()) {
    EXPECT_TRUE(answered.contains(word.word)) << word.word;
  }
}

TEST(ForeignWords, PointToChoicesThatExist) {
  Recipe recipe;
  for (const ForeignValue& value : foreign_values()) {
    for (const std::string& ours : split(std::string(value.ours), "|")) {
      bool is_there = false;
      for (const SettingHelp& setting : settings_of(recipe, "{}")) {
        is_there = is_there || (setting.path.ends_with("." + std::string(value.setting)) &&
                                setting.allowed.find(ours) != std::string::npos);
      }
      EXPECT_TRUE(is_there) << value.setting << " = " << ours;
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

std::string hint_in(const char* tree, const std::string& path) {
  Recipe recipe;
  apply(recipe, parse_json(tree, "test"));
  return in_heeds_words(path, recipe);
}

TEST(ForeignWords, BecomeTheEndOfAMessage) {
  EXPECT_EQ(hint_in("{}", "training.Batch-Size"),
            "; in heed it is training.batch_sentences or training.batch_tokens");
  EXPECT_EQ(hint_in(trees[1], "model.bidirectional"),
            "; in heed it is model.encoder.direction = \"both\"");
  EXPECT_EQ(hint_in("{}", "training.steps_of_dance"), "");
  EXPECT_THAT(hint_in("{}", "training.shuffle"), HasSubstr("there is nothing to set"));
  EXPECT_THAT(hint_in("{}", "training.gpus"), HasSubstr("`heed train --backend`"));
  EXPECT_EQ(hint_in("{}", "optimizer"), "; in heed it is training.optimiser");
}

/// Only what is below the table of the fault is named.
TEST(ForeignWords, StayInTheTableTheyAreWrittenIn) {
  EXPECT_EQ(hint_in(trees[1], "model.encoder.num_layers"), "; in heed it is model.encoder.depth");
  EXPECT_EQ(hint_in(trees[1], "model.encoder.type"), "; in heed it is model.encoder.kind");
  EXPECT_EQ(hint_in(trees[1], "model.type"),
            "; in heed it is model.encoder.kind or model.decoder.kind");
  EXPECT_EQ(hint_in(trees[1], "model.decoder.attention.type"),
            "; in heed it is model.decoder.attention.score");
  EXPECT_EQ(hint_in(trees[1], "training.type"), "");
}

TEST(ForeignWords, NameThePartThatLacksTheSetting) {
  EXPECT_EQ(hint_in(trees[1], "model.encoder.rnn_type"), "; in heed it is model.encoder.kind");
  EXPECT_EQ(hint_in(trees[2], "model.encoder.rnn_type"),
            "; in heed it is model.encoder.cell or model.encoder.kind");
  EXPECT_EQ(
      hint_in("{}", "training.momentum"),
      "; in heed it is training.optimiser.momentum, which optimiser = \"adam\" does not have");
  EXPECT_EQ(hint_in(trees[2], "training.momentum"), "; in heed it is training.optimiser.momentum");
}

TEST(ForeignWords, AreOptionsThatTrainLacks) {
  EXPECT_EQ(as_settings("epochs", "3"), "; that is a setting: --set training.epochs=3");
  EXPECT_EQ(as_settings("lr", "0.1"),
            "; that is a setting: --set training.optimiser.learning_rate=0.1");
  EXPECT_EQ(as_settings("batch-size", "64"),
            "; that is a setting: --set training.batch_sentences=64 or --set "
            "training.batch_tokens=64");
  EXPECT_EQ(as_settings("after-epochs", ""), "; that is a setting: --set training.epochs=…");
  EXPECT_EQ(as_settings("train-sets", "a.tsv"), "; that is a setting: --set data.train=a.tsv");
  EXPECT_THAT(as_settings("resume", ""), HasSubstr("a run continues by itself"));
  EXPECT_EQ(as_settings("no-such-thing", "3"), "");
}

std::string fault_of(const std::string& text, const std::vector<std::string>& sets = {}) {
  Recipe recipe;
  RecipeFile file = parse_recipe(text, "r.toml");
  for (const std::string& one : sets) {
    override_setting(file, one);
  }
  try {
    static_cast<void>(configure(recipe, file, ModelShelf()));
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
r.toml:4:27: model.encoder.type: unknown setting of gru; in heed it is model.encoder.kind
r.toml:4:42: model.encoder.hidden_size: unknown setting of gru; in heed it is model.encoder.width
r.toml:4:61: model.encoder.layers: unknown setting of gru; in heed it is model.encoder.depth
r.toml:4:73: model.encoder.bidirectional: unknown setting of gru; in heed it is model.encoder.direction = "both"
r.toml:6:1: training.batch_size: unknown setting; in heed it is training.batch_sentences or training.batch_tokens
r.toml:7:1: training.lr: unknown setting; in heed it is training.optimiser.learning_rate
r.toml:8:1: training.max_epochs: unknown setting; in heed it is training.epochs
r.toml:9:1: training.early_stopping: unknown setting; in heed it is training.patience
r.toml:10:1: training.stesp: unknown setting; did you mean "steps"?
r.toml:11:1: training.zzzzzzzz: unknown setting; there are steps, epochs, )"));
}

TEST(ForeignWords, AnswerValues) {
  EXPECT_THAT(fault_of("[model]\ndecoder = { kind = \"attend_first\", attention = { score = "
                       "\"bahdanau\" } }\n"),
              EndsWith("location_aware; in heed it is additive"));
  EXPECT_THAT(fault_of("[data]\nsource_tokens = \"sentencepiece\"\n"),
              EndsWith("in heed it is unigram or bpe"));
  EXPECT_THAT(fault_of("[training]\nschedule = { kind = \"inverse_sqrt\" }\n"),
              EndsWith("in heed it is inverse_square_root"));
}

/// What other projects call so comes before a setting of that name elsewhere.
TEST(ForeignWords, AreNotSettingsOfOtherTables) {
  EXPECT_EQ(fault_of("[data]\nlowercase = true\n"),
            "r.toml:2:1: data.lowercase: unknown setting; in heed it is data.source_tokens = "
            "\"lowercase_words\" or data.target_tokens = \"lowercase_words\"");
  EXPECT_THAT(fault_of("[training]\nbatch = 64\n"), HasSubstr("it is training.batch_sentences"));
  EXPECT_THAT(fault_of("[training]\nmodel = \"en-zh\"\n"), HasSubstr("it is training.init"));
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
