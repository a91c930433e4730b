// A recipe as people write it: TOML, read into a tree of settings with the position of each key.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/json.h"
#include "heed/config/apply.h"
#include "heed/engine/run/recipe.h"

namespace heed {

/// Where a setting is written; places compare in reading order.
struct RecipePlace {
  int64_t line = 0;  // settings of --set come after the file's last line
  int64_t column = 0;
  std::string text;  // "file:line:column", or the --set

  static constexpr int64_t behind_the_file = int64_t{1} << 40;  // a line of --set
  bool is_behind_the_file() const { return line >= behind_the_file; }

  auto operator<=>(const RecipePlace&) const = default;
};

struct RecipeFile {
  std::string path;
  Json tree;
  std::map<std::string, RecipePlace> where;  // the place of every dotted path
  std::vector<SettingFault> faults;          // values that no setting can have
  std::string who = "--set";  // what the user calls a setting that overrides one of the file

  /// The place of the setting at `dotted` or of the nearest table above it. A part is where --set names
  /// its kind, if it does.
  RecipePlace place_of(std::string dotted) const;
};

/// Fault::usage with line and column if the text is not TOML; Errors begin with `name`.
RecipeFile parse_recipe(const std::string& text, const std::string& name);
/// The same for a file; Fault::file if it cannot be read.
RecipeFile read_recipe(const std::string& path);
/// The name of a recipe: "recipes/dates.toml" → "dates".
std::string recipe_name(const std::string& path);

/// A value as --set takes it: TOML, else plain text. Nothing where it is a date or a time, which no
/// setting can have.
std::optional<Json> setting_value(const std::string& text);
/// Applies `a.b.c=value` (a TOML value or plain text), which overrides the file. Errors begin with
/// the recipe's `who`.
void override_setting(RecipeFile& recipe, const std::string& assignment);

/// Sets what the file says, like `configure` in recipe.h. All faults are reported in one Error of
/// kind `usage`: a line for each, in the order of the file. Returns a line for each setting of the file
/// that one of --set replaces under another name: `steps` and `epochs` both say how long a run is.
[[nodiscard]] std::vector<std::string> configure(Recipe& recipe, const RecipeFile& file,
                                                 const ModelShelf& shelf);

// toml++ reads nested levels by recursion, without a limit, and a key such as a.a.a.… has a level
// for every two bytes. So the levels are counted before toml++ reads the file.

/// Fault::usage with the line and column of the first key with more parts (`a.b.c` has three), or
/// of the first bracket that opens more levels.
void check_toml_depth(std::string_view text, const std::string& who, std::size_t most_levels);

}  // namespace heed
