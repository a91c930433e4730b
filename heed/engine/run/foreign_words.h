// What other projects call heed's settings. A recipe that says `batch_size` or `lr` is told heed's name.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "heed/engine/run/recipe.h"

namespace heed {

struct ForeignWord {
  std::string_view word;
  /// Of heed's settings, with '|' between those that may be meant. A leading '*' stands for the table in
  /// which the word is or, if that has no such setting, for the nearest tables below it.
  std::string_view paths;
  std::string_view value = {};   // the value that means the same, if the word is a flag there
  std::string_view advice = {};  // what to do, if heed has no such setting
};

/// A choice of a setting by another project's name.
struct ForeignValue {
  std::string_view setting;  // its last name
  std::string_view value;
  std::string_view ours;  // with '|' between those that may be meant
};

std::span<const ForeignWord> foreign_words();
std::span<const ForeignValue> foreign_values();

/// `; in heed it is training.batch_sentences or training.batch_tokens`, or nothing: the end of a message
/// about the unknown setting at `path` of this recipe. It names only settings that the recipe has, and of
/// them those below the table of `path` if there are any; a setting that belongs to another part than
/// the recipe has is said to do so. Case and '-' against '_' make no difference.
std::string in_heeds_words(const std::string& path, Recipe& recipe);
/// The same about a value that the setting at `path` cannot have.
std::string in_heeds_words(const std::string& path, std::string_view value);
/// `; that is a setting: --set training.epochs=3`, or nothing: about an option that `heed train` lacks.
std::string as_settings(std::string_view option, std::string_view value);

}  // namespace heed
