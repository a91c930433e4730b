#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heed/config/apply.h"
#include "heed/config/explain.h"
#include "heed/config/limits.h"

namespace heed::test::settings_test {
namespace {

struct Norm : Described {
  Norm(double standard, const char* what) : epsilon(standard), help(what) {}
  void describe(Describer& d) override {
    d.setting("epsilon", epsilon, {.help = help, .least = 1e-12, .most = 1});
  }
  double epsilon;
  const char* help;
};

const Catalogue<Norm>& norms() {
  static const Catalogue<Norm> all(
      "norm", {{"layer_norm",
                {"layer"},
                "by mean and deviation",
                [] { return std::make_unique<Norm>(1e-5, "added to the variance"); }},
               {"rms_norm", {"rms"}, "by the root of the mean square", [] {
                  return std::make_unique<Norm>(1e-6, "added to the mean square");
                }}});
  return all;
}

/// Has no settings.
struct Plain : Described {
  void describe(Describer& /*d*/) override {}
};

struct Inner : Described {
  int64_t size = 2;
  std::unique_ptr<Norm> norm = make_part(norms(), "layer_norm");

  void describe(Describer& d) override {
    d.setting("size", size, {.help = "how big", .least = 1, .most = 9});
    d.part("norm", norm, norms(), {"inside"});
  }
};

struct Outer : Described {
  bool fast = false;
  double rate = 0.5;
  std::string word = "red";
  std::string free = "anything";
  int64_t offset = 0;
  std::unique_ptr<Norm> norm = make_part(norms(), "layer_norm");
  std::vector<std::unique_ptr<Norm>> norms_in_order;
  Inner inner;
  Plain plain;
  std::vector<std::unique_ptr<Inner>> many;

  void describe(Describer& d) override {
    d.setting("fast", fast, {"hurry"});
    d.setting("rate", rate, {.help = "share", .least = 0, .most = 1});
    d.setting("word", word, {.help = "colour", .choices = {"red", "green", "blue"}});
    d.setting("free", free, {"any text"});
    d.setting("offset", offset, {"may be anything"});
    d.part("norm", norm, norms(), {"outside"});
    d.parts("norms", norms_in_order, norms(), {"several"});
    d.child("inner", inner);
    d.child("plain", plain);
    d.children("many", many);
  }
};

/// Has parts under names.
struct Calling : Described {
  std::vector<NamedPart<Norm>> norms_by_name;

  void describe(Describer& d) override {
    d.named_parts("called", norms_by_name, norms(), "each under a name");
  }
};

Json json(const std::string& text) { return parse_json(text, "test"); }

double epsilon_of(const Norm& norm) { return norm.epsilon; }

TEST(SettingsTest, AssignWhatTheTreeSaysAndLeaveTheRest) {
  Outer outer;
  apply(outer, json(R"({"fast": true, "rate": 1, "word": "blue", "free": "", "offset": -7,
                        "inner": {"size": 9}})"));
  EXPECT_TRUE(outer.fast);
  EXPECT_EQ(outer.rate, 1);
  EXPECT_EQ(outer.word, "blue");
  EXPECT_EQ(outer.free, "");
  EXPECT_EQ(outer.offset, -7);
  EXPECT_EQ(outer.inner.size, 9);
  EXPECT_EQ(outer.norm->kind(), "layer_norm");
  apply(outer, json(R"({"rate": 0.25})"));
  EXPECT_EQ(outer.rate, 0.25);
  EXPECT_EQ(outer.offset, -7);
  apply(outer, Json::object());
  EXPECT_EQ(outer.offset, -7);
}

TEST(SettingsTest, APartIsANameOrATable) {
  Outer outer;
  apply(outer, json(R"({"norm": "rms_norm"})"));
  EXPECT_EQ(outer.norm->kind(), "rms_norm");
  apply(outer, json(R"({"norm": {"kind": "layer", "epsilon": 0.25}})"));  // by alias
  EXPECT_EQ(outer.norm->kind(), "layer_norm");
  EXPECT_EQ(epsilon_of(*outer.norm), 0.25);
}

TEST(SettingsTest, PartsUnderNamesAreATable) {
  Calling outer;
  EXPECT_EQ(config_of(outer).write().find("called"), std::string::npos);
  apply(outer, json(R"({"called": {"b_2": "rms_norm", "a": {"kind": "layer", "epsilon": 0.25}}})"));
  ASSERT_EQ(outer.norms_by_name.size(), 2U);
  EXPECT_EQ(outer.norms_by_name[0].name, "b_2");
  EXPECT_EQ(outer.norms_by_name[0].part->kind(), "rms_norm");
  EXPECT_EQ(epsilon_of(*outer.norms_by_name[1].part), 0.25);
  apply(outer, json(R"({"called": {"a": {"epsilon": 0.5}, "c": "rms_norm"}})"));  // the others stay
  ASSERT_EQ(outer.norms_by_name.size(), 3U);
  EXPECT_EQ(epsilon_of(*outer.norms_by_name[1].part), 0.5);
  Calling copy;
  apply(copy, config_of(outer));
  EXPECT_EQ(config_of(copy), config_of(outer));
  std::vector<std::string> paths;
  for (const SettingHelp& line : explain(outer)) {
    paths.push_back(line.path);
  }
  EXPECT_NE(std::find(paths.begin(), paths.end(), "called"), paths.end());
  EXPECT_NE(std::find(paths.begin(), paths.end(), "called.a.epsilon"), paths.end());
  const std::pair<const char*, const char*> wrong[] = {
      {R"({"called": 3})", "called: must be a table of parts"},
      {R"({"called": {"A": "rms_norm"}})", "called.A: the name \"A\" must be of small letters"},
      {R"({"called": {"x": "rsm_norm"}})", "called.x: unknown \"rsm_norm\""},
      {R"({"called": {"x": {"epsilon": 1}}})", "called.x: must be the name of a part"},
      {R"({"called": {"a": {"epsilno": 1}}})", "called.a.epsilno: unknown setting"},
  };
  for (const auto& [tree, message] : wrong) {
    try {
      apply(outer, json(tree));
      ADD_FAILURE() << tree;
    } catch (const SettingError& error) {
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    }
  }
}

TEST(SettingsTest, AChangedPartStartsFromItsDefaultsAnUnchangedOneStays) {
  Outer outer;
  apply(outer, json(R"({"norm": {"epsilon": 0.25}})"));
  EXPECT_EQ(epsilon_of(*outer.norm), 0.25);
  const Norm* before = outer.norm.get();
  apply(outer, json(R"({"norm": "layer"})"));
  EXPECT_EQ(outer.norm.get(), before);
  EXPECT_EQ(epsilon_of(*outer.norm), 0.25);
  apply(outer, json(R"({"norm": "rms_norm"})"));
  EXPECT_EQ(epsilon_of(*outer.norm), 1e-6);
  apply(outer, json(R"({"norm": "layer_norm"})"));
  EXPECT_EQ(epsilon_of(*outer.norm), 1e-5);
}

TEST(SettingsTest, AListIsAnArrayOrASinglePartAndIsReplacedWhole) {
  Outer outer;
  apply(outer, json(R"({"norms": ["rms", {"kind": "layer_norm", "epsilon": 0.5}, "rms"]})"));
  ASSERT_EQ(outer.norms_in_order.size(), 3U);
  EXPECT_EQ(outer.norms_in_order[0]->kind(), "rms_norm");
  EXPECT_EQ(epsilon_of(*outer.norms_in_order[1]), 0.5);
  apply(outer, json(R"({"norms": {"kind": "rms_norm", "epsilon": 0.125}})"));
  ASSERT_EQ(outer.norms_in_order.size(), 1U);
  EXPECT_EQ(epsilon_of(*outer.norms_in_order[0]), 0.125);
  apply(outer, json(R"({"norms": []})"));
  EXPECT_TRUE(outer.norms_in_order.empty());
}

TEST(SettingsTest, TheWholeConfigurationGoesRoundUnchanged) {
  Outer outer;
  apply(outer, json(R"({"fast": true, "rate": 0.1, "norm": {"kind": "rms_norm", "epsilon": 0.25},
                        "norms": ["rms_norm", "layer_norm"], "inner": {"norm": "rms_norm"}})"));
  outer.many.push_back(std::make_unique<Inner>());
  const Json config = config_of(outer);
  EXPECT_EQ(
      config.write(),
      R"({"fast":true,"rate":0.1,"word":"red","free":"anything","offset":0,)"
      R"("norm":{"kind":"rms_norm","epsilon":0.25},)"
      R"("norms":[{"kind":"rms_norm","epsilon":1e-06},{"kind":"layer_norm","epsilon":1e-05}],)"
      R"("inner":{"size":2,"norm":{"kind":"rms_norm","epsilon":1e-06}}})");
  Outer other;
  apply(other, json(config.write()));
  EXPECT_EQ(config_of(other), config);
}

struct Wrong {
  const char* tree;
  const char* path;
  const char* message;
};

const Wrong wrongs[] = {
    {R"({"fsat": true})", "fsat", "fsat: unknown setting; did you mean \"fast\"?"},
    {R"({"inner": {"sise": 3}})", "inner.sise",
     "inner.sise: unknown setting; did you mean \"size\"?"},
    {R"({"inner": {"norm": {"eps": 1}}})", "inner.norm.eps",
     "inner.norm.eps: unknown setting of layer_norm; did you mean \"epsilon\"?"},
    {R"({"inner": {"norm": {"beyond": 1}}})", "inner.norm.beyond",
     "inner.norm.beyond: unknown setting of layer_norm; there are epsilon"},
    {R"({"plain": {"bias": true}})", "plain",
     "plain: unknown setting; there are fast, rate, word, free, offset, norm, norms, inner"},
    {R"({"fast": 1})", "fast", "fast: must be true or false, not 1"},
    {R"({"rate": 1.5})", "rate", "rate: must be a number from 0 to 1, not 1.5"},
    {R"({"rate": "much"})", "rate", "rate: must be a number from 0 to 1, not \"much\""},
    {R"({"inner": {"size": 0}})", "inner.size",
     "inner.size: must be a whole number from 1 to 9, not 0"},
    {R"({"inner": {"size": 2.0}})", "inner.size",
     "inner.size: must be a whole number from 1 to 9, not 2.0"},
    {R"({"inner": {"size": 18446744073709551615}})", "inner.size",
     "inner.size: must be a whole number from 1 to 9, not 18446744073709551615"},
    {R"({"offset": null})", "offset", "offset: must be a whole number, not null"},
    {R"({"word": "grene"})", "word",
     "word: unknown \"grene\"; choose one of red, green, blue; did you mean \"green\"?"},
    {R"({"word": 3})", "word", "word: must be one of red, green, blue, not 3"},
    {R"({"free": ["a"]})", "free", "free: must be text, not [\"a\"]"},
    {R"({"norm": "rms_nrom"})", "norm",
     "norm: unknown \"rms_nrom\"; choose one of layer_norm, rms_norm; did you mean \"rms_norm\"?"},
    {R"({"norm": 3})", "norm",
     "norm: must be the name of a part, or a table with its kind (one of layer_norm, rms_norm), "
     "not 3"},
    {R"({"norm": {"kind": 3}})", "norm",
     "norm: must be the name of a part, or a table with its kind (one of layer_norm, rms_norm), "
     "not {\"kind\":3}"},
    {R"({"norms": ["rms", "lair"]})", "norms[1]",
     "norms[1]: unknown \"lair\"; choose one of layer_norm, rms_norm; did you mean \"layer\"?"},
    {R"({"norms": [{"epsilon": 0.5}]})", "norms[0]",
     "norms[0]: must be the name of a part, or a table with its kind (one of layer_norm, "
     "rms_norm), not {\"epsilon\":0.5}"},
    {R"({"norms": [{"kind": "rms", "epsilon": -1}]})", "norms[0].epsilon",
     "norms[0].epsilon: must be a number from 1e-12 to 1, not -1"},
    {R"({"inner": 3})", "inner", "inner: must be a table of settings, not 3"},
    {R"({"kind": "outer"})", "kind",
     "kind: unknown setting; there are fast, rate, word, free, offset, norm, norms, inner"},
    {"[1]", "", "settings: must be a table of settings, not [1]"},
};

TEST(SettingsTest, FaultsNameThePathTheValueAndWhatIsAllowed) {
  for (const Wrong& wrong : wrongs) {
    SCOPED_TRACE(wrong.tree);
    Outer outer;
    try {
      apply(outer, json(wrong.tree));
      ADD_FAILURE() << "went through";
    } catch (const SettingError& error) {
      ASSERT_EQ(error.faults().size(), 1U);
      EXPECT_EQ(error.faults()[0].path, wrong.path);
      EXPECT_STREQ(error.what(), wrong.message);
      EXPECT_EQ(error.fault(), Fault::usage);
    }
  }
}

TEST(SettingsTest, EveryFaultIsFoundAndTheRestIsAssigned) {
  Outer outer;
  try {
    apply(outer, json(R"({"fsat": 1, "rate": 2, "word": "blue", "norm": "rms_nrom", "offset": 5,
                          "norms": ["rms", "lair", {"kind": "layer", "epsilon": 3}],
                          "inner": {"size": 0, "sise": 1}})"));
    FAIL();
  } catch (const SettingError& error) {
    std::vector<std::string> paths;
    for (const SettingFault& fault : error.faults()) {
      paths.push_back(fault.path);
    }
    const std::vector<std::string> expected = {
        "rate", "norm", "norms[1]", "norms[2].epsilon", "inner.size", "inner.sise", "fsat"};
    EXPECT_EQ(paths, expected);
    const std::string message = error.what();
    EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 6);
  }
  EXPECT_EQ(outer.word, "blue");
  EXPECT_EQ(outer.offset, 5);
}

TEST(SettingsTest, NumbersThatAreNoneAndLongValuesAreShownShort) {
  Outer outer;
  EXPECT_THROW(apply(outer, Json::object().set("rate", std::nan(""))), SettingError);
  try {
    apply(outer, Json::object().set("fast", std::string(500, 'x')));
    FAIL();
  } catch (const SettingError& error) {
    EXPECT_LT(std::string(error.what()).size(), 120U);
  }
}

enum class Colour { red, deep_red };

struct Named : Described {
  Colour colour = Colour::red;

  void describe(Describer& d) override {
    d.setting("colour", colour, {{"red", Colour::red}, {"deep-red", Colour::deep_red}},
              {"of the whole"});
  }
};

TEST(SettingsTest, AnEnumIsATextWithChoices) {
  Named named;
  apply(named, json(R"({"colour": "deep-red"})"));
  EXPECT_EQ(named.colour, Colour::deep_red);
  EXPECT_EQ(config_of(named).write(), R"({"colour":"deep-red"})");
  const std::vector<SettingHelp> lines = explain(named);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].type, "text");
  EXPECT_EQ(lines[0].allowed, "one of red, deep-red");
  try {
    apply(named, json(R"({"colour": "deep_rde"})"));
    FAIL();
  } catch (const SettingError& error) {
    EXPECT_STREQ(
        error.what(),
        "colour: unknown \"deep_rde\"; choose one of red, deep-red; did you mean \"deep-red\"?");
  }
  EXPECT_THROW(apply(named, json(R"({"colour": 1})")), SettingError);
  EXPECT_EQ(named.colour, Colour::deep_red);
}

struct Lists : Described {
  std::vector<std::string> names = {"a"};
  std::vector<std::string> colours;
  std::vector<int64_t> columns;

  void describe(Describer& d) override {
    d.setting("names", names, {"any texts"});
    d.setting("colours", colours, {.help = "some", .choices = {"red", "green", "blue"}});
    d.setting("columns", columns, {.help = "numbers", .least = 1});
  }
};

TEST(SettingsTest, AListOfValuesIsAnArrayOrASingleOne) {
  Lists lists;
  apply(lists, json(R"({"names": ["b", "c"], "colours": "red", "columns": [1, 3]})"));
  EXPECT_EQ(lists.names, (std::vector<std::string>{"b", "c"}));
  EXPECT_EQ(lists.colours, std::vector<std::string>{"red"});
  EXPECT_EQ(lists.columns, (std::vector<int64_t>{1, 3}));
  const Json config = config_of(lists);
  EXPECT_EQ(config.write(), R"({"names":["b","c"],"colours":["red"],"columns":[1,3]})");
  Lists other;
  apply(other, config);
  EXPECT_EQ(config_of(other), config);
  apply(other, json(R"({"names": "", "colours": []})"));
  EXPECT_TRUE(other.names.empty());
  EXPECT_TRUE(other.colours.empty());
}

TEST(SettingsTest, FaultsOfAListNameWhatEachItemMayBe) {
  const Wrong of_lists[] = {
      {R"({"names": [1]})", "names", "names: must be a list of texts, not [1]"},
      {R"({"names": 1})", "names", "names: must be a list of texts, not 1"},
      {R"({"colours": ["red", "grene"]})", "colours",
       "colours: unknown \"grene\"; choose any of red, green, blue; did you mean \"green\"?"},
      {R"({"columns": [0]})", "columns",
       "columns: must be a list of whole numbers, each of at least 1, not [0]"},
      {R"({"columns": ["one"]})", "columns",
       "columns: must be a list of whole numbers, each of at least 1, not [\"one\"]"},
  };
  for (const Wrong& wrong : of_lists) {
    Lists lists;
    try {
      apply(lists, json(wrong.tree));
      ADD_FAILURE() << wrong.tree << " went through";
    } catch (const SettingError& error) {
      EXPECT_STREQ(error.what(), wrong.message);
    }
  }
}

TEST(SettingsTest, ListsAreExplained) {
  Lists lists;
  std::string lines;
  for (const SettingHelp& line : explain(lists)) {
    lines += line.path + " | " + line.type + " | " + line.value + " | " + line.allowed + "\n";
  }
  EXPECT_EQ(lines,
            "names | texts | [\"a\"] | a list of texts\n"
            "colours | texts | [] | any of red, green, blue\n"
            "columns | ints | [] | a list of whole numbers, each of at least 1\n");
}

TEST(SettingsTest, ThePathBeginsWhereTheModuleStands) {
  Inner inner;
  try {
    apply(inner, json(R"({"size": 10})"), "encoder.block");
    FAIL();
  } catch (const SettingError& error) {
    EXPECT_EQ(error.faults()[0].path, "encoder.block.size");
  }
}

TEST(SettingsTest, ExplainListsEverySettingWithItsDefaultAndRange) {
  Outer outer;
  apply(outer, json(R"({"norms": ["rms"]})"));
  std::string lines;
  for (const SettingHelp& line : explain(outer)) {
    lines += line.path + " | " + line.type + " | " + line.value + " | " + line.allowed + " | " +
             line.help + "\n";
  }
  EXPECT_EQ(lines,
            "fast | bool | false | true or false | hurry\n"
            "rate | float | 0.5 | a number from 0 to 1 | share\n"
            "word | text | \"red\" | one of red, green, blue | colour\n"
            "free | text | \"anything\" | text | any text\n"
            "offset | int | 0 | a whole number | may be anything\n"
            "norm | part | \"layer_norm\" | one of layer_norm, rms_norm | outside\n"
            "norm.epsilon | float | 1e-05 | a number from 1e-12 to 1 | added to the variance\n"
            "norms | parts | [\"rms_norm\"] | any number of layer_norm, rms_norm | several\n"
            "norms[0].epsilon | float | 1e-06 | a number from 1e-12 to 1 | added to the mean "
            "square\n"
            "inner.size | int | 2 | a whole number from 1 to 9 | how big\n"
            "inner.norm | part | \"layer_norm\" | one of layer_norm, rms_norm | inside\n"
            "inner.norm.epsilon | float | 1e-05 | a number from 1e-12 to 1 | added to the "
            "variance\n");
}

struct Seeded : Described {
  uint64_t seed = 1;
  std::string task;
  void describe(Describer& d) override {
    d.setting("seed", seed, {.help = "any", .least = 0, .most = most_seed});
    d.setting("task", task, {.help = "which", .choices = {"", "dates", "numbers"}});
  }
};

TEST(SettingsTest, ASeedMayBeAnyNumberOf64Bits) {
  Seeded seeded;
  for (const uint64_t seed : {uint64_t{0}, uint64_t{1} << 63, ~uint64_t{0}}) {
    Json tree = Json::object();
    tree.set("seed", seed);
    apply(seeded, tree);
    EXPECT_EQ(seeded.seed, seed);
    EXPECT_EQ(config_of(seeded).write(), fmt::format(R"({{"seed":{},"task":""}})", seed));
  }
  try {
    apply(seeded, parse_json(R"({"seed": -1})", "test"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "seed: must be a whole number from 0 to 18446744073709551615, not -1");
  }
  EXPECT_THROW(apply(seeded, parse_json(R"({"seed": 18446744073709551616})", "test")), Error);
}

TEST(SettingsTest, AnEmptyChoiceIsNamedLast) {
  Seeded seeded;
  try {
    apply(seeded, parse_json(R"({"task": "dats"})", "test"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "task: unknown \"dats\"; choose one of dates, numbers, or \"\"; did you "
                 "mean \"dates\"?");
  }
}

/// However wrong a tree is, the answer stays readable, and the time is that of reading it.
TEST(SettingsTest, FaultsAndPartsHaveLimits) {
  Json many = Json::object();
  for (int i = 0; i < 1000; ++i) {
    many.append("unknown" + std::to_string(i), i);
  }
  Outer outer;
  try {
    apply(outer, many);
    FAIL();
  } catch (const SettingError& error) {
    EXPECT_EQ(error.faults().size(), 100U);
  }
  Json list = Json::array();
  Json table = Json::object();
  for (int i = 0; i < 65; ++i) {
    list.push("rms_norm");
    table.append("n" + std::to_string(i), "rms_norm");
  }
  Json listed = Json::object();
  listed.set("norms", list);
  EXPECT_THROW(apply(outer, listed), SettingError);
  Json called = Json::object();
  called.set("called", table);
  Calling calling;
  EXPECT_THROW(apply(calling, called), SettingError);
}

}  // namespace
}  // namespace heed::test::settings_test
