#include "heed/data/path_roots.h"

#include <filesystem>

#include "heed/base/error.h"

namespace heed {
namespace {

bool begins_with(const std::string& path, const std::string& variable) {
  return path == variable || path.starts_with(variable + "/");
}

}  // namespace

std::string rooted(const std::string& path, const PathRoots& roots, const std::string& who) {
  const std::string data = "$HEED_DATA";
  const std::string recipe = "$RECIPE";
  if (begins_with(path, data)) {
    if (!roots.data) {
      fail(
          Fault::usage,
          "{}: {} needs the folder that holds the data; set HEED_DATA=/path/to/data (in a program: "
          "EngineOptions::data_folder)",
          who, path);
    }
    return *roots.data + path.substr(data.size());
  }
  if (begins_with(path, recipe)) {
    if (!roots.recipe) {
      fail(Fault::usage,
           "{}: {} is beside the recipe's file, and this recipe is not a file; name the folder",
           who, path);
    }
    return *roots.recipe + path.substr(recipe.size());
  }
  return path;
}

std::string folder_of_recipe(const std::string& file) {
  const std::string folder = std::filesystem::path(file).parent_path().string();
  return folder.empty() ? "." : folder;
}

}  // namespace heed
