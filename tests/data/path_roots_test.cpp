#include "heed/data/path_roots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed::test::path_roots_test {
namespace {

using ::testing::HasSubstr;

TEST(PathRoots, ReplaceTheVariableAtTheBeginningOfAPath) {
  const PathRoots roots{.data = "/data", .recipe = "mine"};
  EXPECT_EQ(rooted("$HEED_DATA/a/b.tsv", roots, "data"), "/data/a/b.tsv");
  EXPECT_EQ(rooted("$RECIPE/more.tsv", roots, "data"), "mine/more.tsv");
  EXPECT_EQ(rooted("$RECIPE", roots, "data"), "mine");
  // Elsewhere, and in longer names, they are letters like others.
  EXPECT_EQ(rooted("a/$RECIPE/b", roots, "data"), "a/$RECIPE/b");
  EXPECT_EQ(rooted("$RECIPES/b", roots, "data"), "$RECIPES/b");
  EXPECT_EQ(rooted("/absolute", roots, "data"), "/absolute");
}

TEST(PathRoots, WithoutAFolderForTheVariableAreAnError) {
  const auto error_of = [](const std::string& path) -> std::string {
    try {
      return rooted(path, {}, "model.front");
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::usage);
      return error.what();
    }
  };
  EXPECT_THAT(error_of("$HEED_DATA/a"), HasSubstr("model.front: $HEED_DATA/a needs the folder"));
  EXPECT_THAT(error_of("$RECIPE/a"),
              HasSubstr("model.front: $RECIPE/a is beside the recipe's file"));
}

TEST(PathRoots, TheFolderOfARecipe) {
  EXPECT_EQ(folder_of_recipe("recipes/a.toml"), "recipes");
  EXPECT_EQ(folder_of_recipe("a.toml"), ".");
  EXPECT_EQ(folder_of_recipe("/a.toml"), "/");
}

}  // namespace
}  // namespace heed::test::path_roots_test
