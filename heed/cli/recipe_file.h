// A recipe as people write it: TOML, read into a tree of settings that remembers where each key
// stands.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "heed/base/json.h"
#include "heed/config/apply.h"

namespace heed {

/// Where a setting is written; places compare in the order in which a reader meets them.
struct RecipePlace {
  int64_t line = 0;  // what --set says stands behind the file's last line
  int64_t column = 0;
  std::string text;  // "file:line:column", or the --set

  auto operator<=>(const RecipePlace&) const = default;
};

struct RecipeFile {
  std::string path;
  Json tree;
  std::map<std::string, RecipePlace> where;  // of every dotted path
  std::vector<SettingFault> faults;          // values that no setting can have

  /// Of the setting at `dotted` or of the nearest table above it.
  RecipePlace place_of(std::string dotted) const;
};

/// Fault::usage with line and column for what is no TOML, Fault::file where it cannot be read.
RecipeFile read_recipe(const std::string& path);

/// `a.b.c=value` (value as TOML, or as plain text) set over what the file says.
void override_setting(RecipeFile& recipe, const std::string& assignment);

}  // namespace heed
