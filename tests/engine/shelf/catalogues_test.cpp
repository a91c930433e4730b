// Every catalogue that a header declares is in the catalogue of catalogues.
#include "heed/engine/shelf/catalogues.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>

#include "heed/base/file.h"

namespace heed::test::catalogues_test {
namespace {

/// The functions that return a catalogue, but for the verbs and the routes, which only the layers above know.
std::vector<std::string> declared() {
  const std::regex catalogue(R"(\n(?:const )?Catalogue<\w+>& (\w+)\(\);)");
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(HEED_SOURCE_DIR "/heed")) {
    if (entry.path().extension() != ".h") {
      continue;
    }
    const std::string text = read_file(entry.path().string());
    for (std::sregex_iterator found(text.begin(), text.end(), catalogue), end; found != end;
         ++found) {
      names.push_back((*found)[1].str());
    }
  }
  std::erase(names, "verbs");
  std::erase(names, "routes");
  return names;
}

TEST(CataloguesTest, ListEveryCatalogueThatAHeaderDeclares) {
  const std::string list = read_file(HEED_SOURCE_DIR "/heed/engine/shelf/catalogues.cpp");
  const std::vector<std::string> names = declared();
  for (const std::string& name : names) {
    EXPECT_NE(list.find(name + "().listing()"), std::string::npos)
        << name << "() is not in heed/engine/shelf/catalogues.cpp; give it its line";
  }
  // Activations are listed as well, and are no Catalogue.
  EXPECT_EQ(catalogues().size(), names.size() + 1);
}

TEST(CataloguesTest, KindsAndTheirEntriesHaveNamesOfTheirOwnAndFormulas) {
  std::vector<std::string> kinds;
  for (const Listing& kind : catalogues()) {
    EXPECT_EQ(std::count(kinds.begin(), kinds.end(), kind.name), 0) << kind.name;
    kinds.push_back(kind.name);
    EXPECT_FALSE(kind.entries.empty()) << kind.name;
    for (const Listing::Entry& entry : kind.entries) {
      EXPECT_FALSE(entry.formula.empty()) << kind.name << " " << entry.name;
    }
  }
}

}  // namespace
}  // namespace heed::test::catalogues_test
