// Reports the faults of a recipe by their places in the file.
#include <algorithm>
#include <map>
#include <span>

#include "heed/config/explain.h"
#include "heed/engine/foreign_words.h"
#include "heed/engine/recipe_file.h"

namespace heed {
namespace {

/// What an unknown setting may be meant to be: what other projects call so, or a setting of that name
/// elsewhere. Empty where nothing is known.
std::string meaning(Recipe& recipe, const std::string& path) {
  const std::string key = path.substr(path.find_last_of('.') + 1);
  std::string places;
  for (const SettingHelp& setting : explain(recipe)) {
    if (setting.path.ends_with("." + key)) {
      places += (places.empty() ? "; there is " : ", ") + setting.path;
    }
  }
  return places.empty() ? in_heeds_words(key) : places;
}

/// Whether it is about a table of the recipe, such as [train], and names the one that is meant.
bool names_the_table(const SettingFault& fault) {
  return fault.path.find('.') == std::string::npos &&
         fault.message.find("did you mean") != std::string::npos;
}

/// The fault's sentence; that of an unknown setting says what may be meant, if that is known.
std::string sentence_of(const SettingFault& fault, Recipe& recipe) {
  const bool asks = fault.is_unknown && !names_the_table(fault);
  const std::string hint = asks ? meaning(recipe, fault.path) : "";
  if (hint.empty()) {
    return fault.sentence();
  }
  return fault.path + ": " + fault.message.substr(0, fault.message.find(';')) + hint;
}

/// Adds those faults of `more` that are about other settings.
void add_others(std::vector<SettingFault>& faults, std::span<const SettingFault> more) {
  for (const SettingFault& fault : more) {
    const auto is_same = [&](const SettingFault& known) { return known.path == fault.path; };
    if (std::none_of(faults.begin(), faults.end(), is_same)) {
      faults.push_back(fault);
    }
  }
}

/// A line for each fault, with its place, in the order of the file.
std::string in_file_order(std::span<const SettingFault> faults, const RecipeFile& file,
                          Recipe& recipe) {
  std::multimap<RecipePlace, std::string> lines;
  for (const SettingFault& fault : faults) {
    const RecipePlace place = file.place_of(fault.path);
    lines.emplace(place, fmt::format("{}: {}", place.text, sentence_of(fault, recipe)));
  }
  std::string all;
  for (const auto& [place, line] : lines) {
    all += all.empty() ? line : "\n" + line;
  }
  return all;
}

}  // namespace

void configure(Recipe& recipe, const RecipeFile& file, const ModelShelf& shelf) {
  std::vector<SettingFault> faults = file.faults;
  try {
    configure(recipe, file.tree, shelf);
  } catch (const SettingError& error) {
    add_others(faults, error.faults());
  }
  if (!faults.empty()) {
    fail(Fault::usage, "{}", in_file_order(faults, file, recipe));
  }
}

}  // namespace heed
