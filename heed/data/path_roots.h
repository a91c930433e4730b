// Paths in recipes may begin with $HEED_DATA, the folder that holds the data, or with $RECIPE, the folder
// of the recipe itself.
#pragma once

#include <optional>
#include <string>

namespace heed {

/// What the variables at the beginning of paths stand for.
struct PathRoots {
  std::optional<std::string> data = {};    // $HEED_DATA; none: it is not set
  std::optional<std::string> recipe = {};  // $RECIPE; none: the recipe is not a file
};

/// The path with the variable at its beginning replaced; Fault::usage if nothing is known to replace it.
/// `who` names the table of the recipe.
std::string rooted(const std::string& path, const PathRoots& roots, const std::string& who);

/// The folder of a recipe's file.
std::string folder_of_recipe(const std::string& file);

}  // namespace heed
