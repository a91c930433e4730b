// The environment variables. They are read only here; the layers below the command line get values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/data/path_roots.h"
#include "heed/engine/shelf/model_shelf.h"

namespace heed {

/// The variable's value; empty if it is not set.
std::string_view variable(const char* name);

/// HEED_THREADS, or as many threads as the machine has; Fault::usage if it is not a number of
/// threads.
int threads_wanted();

/// The models that come with heed: in the folders of HEED_MODELS (separated by colons), in `models`
/// next to the program, and in share/heed/models where it is installed.
ModelShelf model_shelf();

/// The recipes that come with heed, by name: in the folders of HEED_RECIPES, in `recipes` next to the
/// program, and in share/heed/recipes where it is installed.
std::vector<std::pair<std::string, std::string>> shelved_recipes();

/// The file that a user means by `given`: a path, or the name of a recipe that comes with heed.
/// Fault::file with a suggestion if there is neither.
std::string recipe_path(const std::string& given);

/// What the variables in the paths of a recipe's file stand for: HEED_DATA, and the recipe's folder.
PathRoots path_roots(const std::string& recipe);

}  // namespace heed
