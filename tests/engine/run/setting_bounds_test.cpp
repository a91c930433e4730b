// Every number that can be set, anywhere, has a least and a most value. The walk tries every kind of
// every part, and every value of a choice, because some settings exist only beside others.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "heed/config/apply.h"
#include "heed/engine/answer/answer_options.h"
#include "heed/engine/run/recipe.h"
#include "heed/engine/shelf/catalogues.h"
#include "heed/metric/metric_settings.h"
#include "heed/search/search_options.h"
#include "heed/see/drawing_options.h"

namespace heed::test::setting_bounds_test {
namespace {

bool is_number(const Setting& setting) {
  const std::string type = setting.type();
  return type == "int" || type == "ints" || type == "float";
}

/// What the walk has met so far.
struct Met {
  int numbers = 0;
  std::set<std::string> kinds;  // "additive, bilinear, …: additive", one for each part of a choice
  std::vector<std::string> unbounded;
};

class BoundsWalk : public Describer {
 public:
  BoundsWalk(std::string path, Met& met) : path_(std::move(path)), met_(met) {}

  /// Describes as it is, and then with each value of each choice among names.
  void walk(Described& described) {
    described.describe(*this);
    for (const auto& [name, values] : std::map(named_)) {
      for (const std::string& value : values) {
        Json tree = Json::object();
        tree.set(name, value);
        apply(described, tree);
        described.describe(*this);
      }
    }
  }

  void setting(const char* name, Setting& setting) override {
    const About& about = setting.about();
    if (!about.choices.empty()) {
      named_[name] = about.choices;
    }
    if (!is_number(setting)) {
      return;
    }
    ++met_.numbers;
    if (!std::isfinite(about.least) || !std::isfinite(about.most) || about.least > about.most) {
      met_.unbounded.push_back(path_ + name);
    }
    // What is beyond the limits is refused, and so is what no number of its type can hold.
    for (const double beyond :
         {about.least - std::abs(about.least) - 1, 2 * about.most + 1, 1e300}) {
      EXPECT_FALSE(setting.assign(beyond)) << path_ << name;
      const auto whole = static_cast<int64_t>(std::clamp(beyond, -9e18, 9e18));
      EXPECT_FALSE(static_cast<double>(whole) == beyond && setting.assign(whole)) << path_ << name;
    }
  }
  void choice(const char* name, const Choice& choice) override {
    for (const std::string& kind : choice.names) {
      if (met_.kinds.insert(fmt::format("{}: {}", fmt::join(choice.names, ", "), kind)).second) {
        Described& part = choice.add(kind);
        BoundsWalk(path_ + name + "=" + kind + ".", met_).walk(part);
      }
    }
  }
  void table(const char* name, const PartTable& table) override { choice(name, table.entry("a")); }
  void child(const std::string& name, Described& child) override {
    BoundsWalk(path_ + name + ".", met_).walk(child);
  }

 private:
  std::string path_;
  Met& met_;
  std::map<std::string, std::vector<std::string>> named_;
};

TEST(SettingBoundsTest, EveryNumberHasALeastAndAMostValue) {
  Met met;
  Recipe recipe;
  BoundsWalk("", met).walk(recipe);
  SearchOptions search;
  BoundsWalk("search.", met).walk(search);
  MetricSettings metrics;
  BoundsWalk("metrics.", met).walk(metrics);
  DrawingOptions drawing;
  BoundsWalk("drawing.", met).walk(drawing);
  AnswerOptions translating;
  BoundsWalk("translating.", met).walk(translating);
  EXPECT_GT(met.numbers, 150);
  for (const std::string& path : met.unbounded) {
    ADD_FAILURE() << path << " has no least or no most value; give it .least and .most";
  }
}

/// Parts that are not reached from a recipe would not be looked at.
TEST(SettingBoundsTest, TheWalkMeetsEveryCatalogueOfPartsWithSettings) {
  Met met;
  Recipe recipe;
  BoundsWalk("", met).walk(recipe);
  // These are chosen by a name alone, or by what a folder holds, and have no settings, but for rules,
  // whose settings are the search's.
  const std::set<std::string> by_name = {"cell",   "activation",   "tokeniser", "synth",
                                         "metric", "tokenisation", "strategy",  "rule",
                                         "format", "family"};
  for (const Listing& kind : catalogues()) {
    for (const Listing::Entry& entry : kind.entries) {
      const bool is_met = std::any_of(met.kinds.begin(), met.kinds.end(), [&](const auto& one) {
        return one.starts_with(kind.entries.front().name + ", ") &&
               one.ends_with(": " + entry.name);
      });
      EXPECT_TRUE(is_met || by_name.contains(kind.name)) << kind.name << " " << entry.name;
    }
  }
}

}  // namespace
}  // namespace heed::test::setting_bounds_test
