#include "heed/engine/run/recipe_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/base/atomic_file.h"
#include "heed/base/error.h"
#include "tests/base/scratch_directory.h"

namespace heed::recipe_file_test {
namespace {

using ::testing::HasSubstr;

class RecipeText : public ::testing::Test {
 protected:
  RecipeFile read(const std::string& text) {
    write_atomically(path_, text);
    return read_recipe(path_);
  }
  std::string failure_of(const std::string& text) {
    try {
      read(text);
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::usage);
      return error.what();
    }
    return "nothing failed";
  }

  ScratchDirectory scratch_;
  std::string path_ = scratch_ / "r.toml";
};

constexpr const char* example = R"([data]
synth = "dates"   # a task

[model]
encoder = { kind = "gru", width = 48 }

[model.decoder.attention]
focus = ["causal", { kind = "window", left = 8 }]

[training]
clip = 1.5
optimiser.learning_rate = 4e-3
share = true
)";

TEST_F(RecipeText, BecomesATree) {
  EXPECT_EQ(read(example).tree, parse_json(R"({"data": {"synth": "dates"},
      "model": {"decoder": {"attention": {"focus": ["causal", {"kind": "window", "left": 8}]}},
                "encoder": {"kind": "gru", "width": 48}},
      "training": {"clip": 1.5, "optimiser": {"learning_rate": 0.004}, "share": true}})",
                                           "test"));
}

TEST_F(RecipeText, HasBounds) {
  const auto times = [](int count, const std::string& text) {
    std::string out;
    for (int i = 0; i < count; ++i) {
      out += text;
    }
    return out;
  };
  const std::string deep = "there are more than 32 levels";
  EXPECT_THAT(failure_of("\n" + times(100'000, "a.") + "a = 1"),
              HasSubstr(path_ + ":2:64: " + deep));
  EXPECT_THAT(failure_of("[" + times(40'000, "a.") + "a]"), HasSubstr(deep));
  EXPECT_THAT(failure_of("[[" + times(400, "a.") + "a]]"), HasSubstr(deep));
  EXPECT_THAT(failure_of("a = " + times(200, "[") + times(200, "]")), HasSubstr(deep));
  EXPECT_THAT(failure_of("a = " + times(100'000, "{a=")), HasSubstr(deep));
  EXPECT_THAT(failure_of(times(17, "a.") + "a = {" + times(17, "a.") + "a = 1}"), HasSubstr(deep));
  std::string keys;
  for (int i = 0; i < 50'000; ++i) {
    keys += "k" + std::to_string(i) + " = 1\n";
  }
  EXPECT_THAT(failure_of(keys), HasSubstr("more than 10000 entries"));
  // What looks deep and is not: numbers, strings, comments.
  const std::string shallow = "a = [" + times(200, "0.5, ") + "]\nb = \"" + times(100, ".[") +
                              "\\\"\"\nc = '" + times(100, "{.") + "'\n# " + times(100, "[.") +
                              "\nd = \"\"\"\n" + times(100, "[.\"\n") + "\"\"\"\n" +
                              times(31, "e.") + "e = 1\n";
  EXPECT_NO_THROW(read(shallow));
  RecipeFile recipe = read("a = 1");
  EXPECT_THROW(override_setting(recipe, times(60'000, "a.") + "a=1"), Error);
  EXPECT_THROW(override_setting(recipe, "a=" + times(60'000, "[")), Error);
}

TEST_F(RecipeText, RemembersWhereEachKeyStands) {
  const RecipeFile recipe = read(example);
  EXPECT_EQ(recipe.place_of("data.synth").text, path_ + ":2:1");
  EXPECT_EQ(recipe.place_of("model.encoder").text, path_ + ":5:1");
  EXPECT_EQ(recipe.place_of("model.encoder.width").text, path_ + ":5:27");
  EXPECT_EQ(recipe.place_of("model.decoder.attention.focus[1].left").text, path_ + ":8:39");
  EXPECT_EQ(recipe.place_of("model.decoder.attention.focus[0]").text, path_ + ":8:10");
  EXPECT_EQ(recipe.place_of("training.optimiser.learning_rate").text, path_ + ":12:11");
  // A missing setting has the place of the nearest table above it, or no place.
  EXPECT_EQ(recipe.place_of("model.encoder.depth").text, path_ + ":5:1");
  EXPECT_EQ(recipe.place_of("nothing.at.all").text, path_);
}

TEST_F(RecipeText, ThatIsNoTomlIsRefusedByItsPlace) {
  EXPECT_THAT(failure_of("[data]\nsynth = dates\n"), HasSubstr(path_ + ":2:"));
  EXPECT_THAT(failure_of("[data]\na = 1\na = 2\n"), HasSubstr(path_ + ":3:"));
  EXPECT_THAT(failure_of("[data]\nname = \"\xff\"\n"), HasSubstr(path_ + ":2:"));
  EXPECT_THROW(read_recipe(scratch_ / "absent.toml"), Error);
}

TEST_F(RecipeText, ADateIsAFaultAmongOthers) {
  const RecipeFile recipe = read("[data]\nday = 2021-05-03\n");
  ASSERT_EQ(recipe.faults.size(), 1U);
  EXPECT_THAT(
      recipe.faults[0].sentence(),
      HasSubstr(
          "data.day: a date or time is no setting; write text in quotes, a number, true or false"));
}

TEST_F(RecipeText, MayBeEmptyOrBeginWithAByteOrderMark) {
  EXPECT_EQ(read("").tree, Json::object());
  EXPECT_EQ(read("\xEF\xBB\xBF[data]\r\nsynth = \"dates\"\r\n").tree,
            parse_json(R"({"data": {"synth": "dates"}})", "test"));
}

class Override : public RecipeText {
 protected:
  Json after(const std::string& text, const std::vector<std::string>& assignments) {
    recipe_ = read(text);
    for (const std::string& assignment : assignments) {
      override_setting(recipe_, assignment);
    }
    return recipe_.tree;
  }
  RecipeFile recipe_;
};

TEST_F(Override, TakesTomlOrPlainText) {
  EXPECT_EQ(after("", {"a.whole=5", "a.number=0.5", "a.truth=true", "a.text=additive",
                       "a.quoted=\"5\"", "a.path=../x.tsv", "a.none=", "a.list=[1, \"b\"]",
                       "a.table={ kind = \"gru\", width = 3 }", "a.equals=x=y"}),
            parse_json(R"({"a": {"whole": 5, "number": 0.5, "truth": true, "text": "additive",
      "quoted": "5", "path": "../x.tsv", "none": "", "list": [1, "b"],
      "table": {"kind": "gru", "width": 3}, "equals": "x=y"}})",
                       "test"));
}

TEST_F(Override, GoesOverWhatTheFileSays) {
  EXPECT_EQ(after("[training]\nsteps = 5\nseed = 1\n", {"training.steps=7", "training.steps=8"}),
            parse_json(R"({"training": {"seed": 1, "steps": 8}})", "test"));
}

TEST_F(Override, TurnsThePartsNameIntoItsTable) {
  EXPECT_EQ(after("score = \"additive\"\n", {"score.width=16"}),
            parse_json(R"({"score": {"kind": "additive", "width": 16}})", "test"));
  EXPECT_EQ(after("score = { kind = \"additive\", width = 3 }\n", {"score=dot"}),
            parse_json(R"({"score": "dot"})", "test"));
  // A setting below a number makes it a table, which is refused when it is applied.
  EXPECT_EQ(after("steps = 5\n", {"steps.x=1"}), parse_json(R"({"steps": {"x": 1}})", "test"));
}

TEST_F(Override, IsThePlaceOfWhatItSet) {
  after("[model]\nencoder = { kind = \"gru\", width = 48 }\n",
        {"model.encoder={ kind = \"cnn\", width = 4 }"});
  const std::string place = "--set model.encoder={ kind = \"cnn\", width = 4 }";
  EXPECT_EQ(recipe_.place_of("model.encoder").text, place);
  EXPECT_EQ(recipe_.place_of("model.encoder.width").text, place);  // no longer the file's
  EXPECT_EQ(recipe_.place_of("model").text, path_ + ":1:2");
}

TEST_F(Override, IsBlamedForTheKindThatItNames) {
  after("[model]\nencoder = { kind = \"gru\", width = 48 }\n", {"model.encoder.kind=LSTM"});
  EXPECT_EQ(recipe_.place_of("model.encoder").text, "--set model.encoder.kind=LSTM");
  EXPECT_EQ(recipe_.place_of("model.encoder.width").text, path_ + ":2:27");
}

/// How a run of this recipe with these settings is long, or what is wrong with it.
class Length : public Override {
 protected:
  std::string after_both(const std::string& text, const std::vector<std::string>& assignments) {
    after("[training]\n" + text, assignments);
    Recipe recipe;
    try {
      std::string said;
      for (const std::string& line : configure(recipe, recipe_, ModelShelf())) {
        said += "; " + line;
      }
      return fmt::format("{} steps, {} epochs{}", recipe.training.steps, recipe.training.epochs,
                         said);
    } catch (const Error& error) {
      return error.what();
    }
  }
};

TEST_F(Length, StepsAndEpochsInOnePlaceAreAFault) {
  EXPECT_EQ(after_both("steps = 5\nepochs = 3\n", {}),
            path_ +
                ":2:1: training.steps: 5 has no effect while epochs = 3; leave one out (--set "
                "training.epochs=0)");
  EXPECT_THAT(after_both("", {"training.steps=5", "training.epochs=0.5"}),
              HasSubstr("--set training.steps=5: training.steps: 5 has no effect while epochs = "
                        "0.5"));
  EXPECT_EQ(after_both("steps = 5\nepochs = 0\n", {}), "5 steps, 0 epochs");
}

TEST_F(Length, WhatIsSetReplacesWhatTheFileSays) {
  EXPECT_EQ(after_both("epochs = 3\n", {"training.steps=5"}),
            "5 steps, 0 epochs; steps = 5 of --set replaces epochs = 3 of " + path_);
  EXPECT_EQ(after_both("steps = 5\n", {"training.epochs=3"}),
            "5 steps, 3 epochs; epochs = 3 of --set replaces steps = 5 of " + path_);
}

TEST_F(Override, NeedsAPathAndAValue) {
  RecipeFile recipe = read("");
  for (const char* wrong : {"steps", "=5", ""}) {
    try {
      override_setting(recipe, wrong);
      FAIL() << wrong;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("must be PATH=VALUE"));
      EXPECT_EQ(error.fault(), Fault::usage);
    }
  }
}

}  // namespace
}  // namespace heed::recipe_file_test
