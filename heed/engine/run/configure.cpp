// Reports the faults of a recipe by their places in the file.
#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "heed/config/explain.h"
#include "heed/engine/run/foreign_words.h"
#include "heed/engine/run/recipe_file.h"

namespace heed {
namespace {

const Json* member(const Json* tree, const std::string& name) {
  if (const auto* members = tree == nullptr ? nullptr : tree->get<Json::Object>()) {
    for (const Json::Member& one : *members) {
      if (one.key == name) {
        return &one.value;
      }
    }
  }
  return nullptr;
}

/// The value at a path of names, or null.
const Json* value_at(const Json& tree, std::string_view path) {
  const Json* value = &tree;
  while (!path.empty()) {
    const size_t dot = std::min(path.find('.'), path.size());
    value = member(value, std::string(path.substr(0, dot)));
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return value;
}

/// What an unknown setting may be meant to be: what other projects call so, or a setting of that name
/// elsewhere. Empty where nothing is known.
std::string meaning(Recipe& recipe, const std::string& path) {
  std::string hint = in_heeds_words(path, recipe);
  if (!hint.empty()) {
    return hint;
  }
  constexpr size_t most = 4;
  size_t count = 0;
  for (const SettingHelp& setting : explain(recipe)) {
    if (setting.path.ends_with("." + path.substr(path.find_last_of('.') + 1)) && ++count <= most) {
      hint += (hint.empty() ? "; there is " : ", ") + setting.path;
    }
  }
  return count <= most ? hint : fmt::format("{} and {} more", hint, count - most);
}

/// Whether it is about a table of the recipe, such as [train], and names the one that is meant.
bool names_the_table(const SettingFault& fault) {
  return fault.path.find('.') == std::string::npos &&
         fault.message.find("did you mean") != std::string::npos;
}

/// What the text that is given there may be meant to be.
std::string meaning_of_value(const Json& tree, const std::string& path) {
  const Json* given = value_at(tree, path);
  given = given != nullptr && given->kind() == Json::Kind::object ? member(given, "kind") : given;
  const std::string* text = given == nullptr ? nullptr : given->get<std::string>();
  return text == nullptr ? "" : in_heeds_words(path, *text);
}

/// The fault's sentence, with what may be meant, if that is known.
std::string sentence_of(const SettingFault& fault, const Json& tree, Recipe& recipe) {
  if (names_the_table(fault)) {
    return fault.sentence();
  }
  const std::string hint =
      fault.is_unknown ? meaning(recipe, fault.path) : meaning_of_value(tree, fault.path);
  if (hint.empty()) {
    return fault.sentence();
  }
  const std::string_view cut = fault.is_unknown ? ";" : "; did you mean";
  return fault.path + ": " + fault.message.substr(0, fault.message.find(cut)) + hint;
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
    lines.emplace(place, fmt::format("{}: {}", place.text, sentence_of(fault, file.tree, recipe)));
  }
  std::string all;
  for (const auto& [place, line] : lines) {
    all += all.empty() ? line : "\n" + line;
  }
  return all;
}

bool is_above_zero(const Json& value) {
  const auto* whole = value.get<int64_t>();
  const auto* number = value.get<double>();
  return (whole != nullptr && *whole > 0) || (number != nullptr && *number > 0);
}

/// `steps` and `epochs` both say how long the run is. What an override says switches off what the file says,
/// which becomes a line to be told; both in one place are a fault.
std::vector<std::string> settle_length(const RecipeFile& file, Json& tree,
                                       std::vector<SettingFault>& faults) {
  const Json* const steps = value_at(tree, "training.steps");
  const Json* const epochs = value_at(tree, "training.epochs");
  if (steps == nullptr || epochs == nullptr || !is_above_zero(*epochs)) {
    return {};
  }
  const std::string said_steps = shown(*steps);
  const std::string said_epochs = shown(*epochs);
  const bool steps_are_set = file.place_of("training.steps").is_behind_the_file();
  if (steps_are_set == file.place_of("training.epochs").is_behind_the_file()) {
    const SettingFault both{
        "training.steps",
        fmt::format("{} has no effect while epochs = {}; leave one out ({} training.epochs=0)",
                    said_steps, said_epochs, file.who)};
    add_others(faults, std::span(&both, 1));
    return {};
  }
  if (!steps_are_set) {
    return {fmt::format("epochs = {} of {} replaces steps = {} of {}", said_epochs, file.who,
                        said_steps, file.path)};
  }
  Json training = *value_at(tree, "training");
  training.set("epochs", 0);
  tree.set("training", training);
  return {fmt::format("steps = {} of {} replaces epochs = {} of {}", said_steps, file.who,
                      said_epochs, file.path)};
}

}  // namespace

std::vector<std::string> configure(Recipe& recipe, const RecipeFile& file,
                                   const ModelShelf& shelf) {
  std::vector<SettingFault> faults = file.faults;
  Json tree = file.tree;
  std::vector<SettingFault> of_length;
  std::vector<std::string> replaced = settle_length(file, tree, of_length);
  try {
    configure(recipe, tree, shelf);
  } catch (const SettingError& error) {
    add_others(faults, error.faults());
  }
  add_others(faults, of_length);
  if (!faults.empty()) {
    fail(Fault::usage, "{}", in_file_order(faults, file, recipe));
  }
  return replaced;
}

}  // namespace heed
