// A recipe as people write it: TOML, read into a tree of settings that remembers where each key
// stands.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "heed/base/json.h"

namespace heed {

struct RecipeFile {
  std::string path;
  Json tree;
  std::map<std::string, std::string> where;  // dotted path → "file:line:column"

  /// "file:line:column" of the setting at `dotted` or of the nearest table above it.
  std::string place_of(std::string dotted) const;
};

/// Fault::usage with line and column for what is no TOML, Fault::file where it cannot be read.
RecipeFile read_recipe(const std::string& path);

/// `a.b.c=value` (value as TOML, or as plain text) set over what the file says.
void override_setting(RecipeFile& recipe, const std::string& assignment);

}  // namespace heed
