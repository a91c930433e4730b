// Every second name that a table of parts prints is accepted in a recipe, and read as the part's own
// name.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "heed/base/json.h"
#include "heed/config/apply.h"
#include "heed/config/explain.h"
#include "heed/engine/run/recipe.h"
#include "heed/engine/shelf/catalogues.h"
#include "heed/train/objectives.h"

namespace heed::second_names_test {
namespace {

/// A recipe that chooses the part NAME, for every kind of parts that has second names.
const std::map<std::string, std::string> places = {
    {"score", R"({"model": {"decoder": {"attention": {"score": "NAME"}}}})"},
    {"focus", R"({"model": {"decoder": {"attention": {"focus": "NAME"}}}})"},
    {"decoder", R"({"model": {"decoder": "NAME"}})"},
    {"cell", R"({"model": {"decoder": {"kind": "attend_after", "cell": "NAME"},
                           "encoder": {"kind": "pyramid", "cell": "NAME"}}})"},
    {"norm", R"({"model": {"encoder": {"kind": "transformer", "norm": "NAME"}}})"},
    {"objective", R"({"training": {"objectives": ["NAME"]}})"},
    {"feed", R"({"training": {"feed": "NAME"}})"},
    {"schedule", R"({"training": {"schedule": "NAME"}})"},
    {"metric", R"({"training": {"metric": "NAME",
                                "objectives": {"kind": "self_critical", "metric": "NAME"}}})"},
};

std::string config_with(std::string recipe, const std::string& name) {
  for (size_t at = recipe.find("NAME"); at != std::string::npos; at = recipe.find("NAME")) {
    recipe.replace(at, 4, name);
  }
  Recipe read;
  apply(read, parse_json(recipe, "test"));
  return config_of(read).write();
}

TEST(SecondNames, AreReadAsThePartsOwn) {
  for (const Listing& kind : catalogues()) {
    for (const Listing::Entry& entry : kind.entries) {
      for (const std::string& second : entry.aliases) {
        SCOPED_TRACE(kind.name + " " + second);
        const auto place = places.find(kind.name);
        ASSERT_NE(place, places.end()) << "say where a recipe chooses it";
        const std::string own = config_with(place->second, entry.name);
        EXPECT_EQ(config_with(place->second, second), own);
        EXPECT_NE(own.find('"' + entry.name + '"'), std::string::npos) << own;
      }
    }
  }
}

}  // namespace
}  // namespace heed::second_names_test
