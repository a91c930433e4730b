#include "heed/engine/run/foreign_words.h"

#include <algorithm>
#include <map>
#include <vector>

#include "heed/config/explain.h"

namespace heed {
namespace {

/// In small letters, with '_' for '-'.
std::string as_a_setting(std::string_view name) {
  std::string out(name);
  for (char& letter : out) {
    const bool is_capital = letter >= 'A' && letter <= 'Z';
    letter = letter == '-' ? '_' : is_capital ? static_cast<char>(letter - 'A' + 'a') : letter;
  }
  return out;
}

/// The names between '|'.
std::vector<std::string> alternatives(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const size_t bar = std::min(text.find('|'), text.size());
    names.emplace_back(text.substr(0, bar));
    text.remove_prefix(std::min(bar + 1, text.size()));
  }
  return names;
}

std::string last_name(const std::string& path) { return path.substr(path.rfind('.') + 1); }

/// Empty for a path of one name.
std::string table_of(const std::string& path) {
  const size_t dot = path.rfind('.');
  return dot == std::string::npos ? "" : path.substr(0, dot);
}

bool is_below(const std::string& path, const std::string& table) {
  return table.empty() || path.starts_with(table + ".");
}

/// The settings of a recipe with the parts that it has.
class KnownSettings {
 public:
  explicit KnownSettings(Recipe& recipe) {
    for (const SettingHelp& setting : explain(recipe)) {
      paths_.push_back(setting.path);
      if (setting.type == "part") {
        paths_.push_back(setting.path + ".kind");
        kinds_[setting.path] = setting.value;
      }
    }
  }
  bool has(const std::string& path) const {
    return std::find(paths_.begin(), paths_.end(), path) != paths_.end() ||
           path.ends_with("].kind");
  }
  /// Those that are below the table and end so, without those of deeper tables than the first.
  std::vector<std::string> below(const std::string& table, const std::string& ending) const {
    std::vector<std::string> found;
    for (const std::string& path : paths_) {
      if (is_below(path, table) && path.ends_with(ending)) {
        found.push_back(path);
      }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& one, const auto& other) { return dots(one) < dots(other); });
    const auto deeper = std::find_if(found.begin(), found.end(), [&found](const auto& path) {
      return dots(path) > dots(found.front());
    });
    found.erase(deeper, found.end());
    return found;
  }
  /// `training.schedule.warm_up, which schedule = "step" does not have`: the setting is another
  /// part's.
  std::string of_another_part(const std::string& path) const {
    for (std::string part = table_of(path); !part.empty(); part = table_of(part)) {
      if (const auto kind = kinds_.find(part); kind != kinds_.end()) {
        return fmt::format("{}, which {} = {} does not have", path, last_name(part), kind->second);
      }
    }
    return path;
  }

 private:
  static std::ptrdiff_t dots(const std::string& path) {
    return std::count(path.begin(), path.end(), '.');
  }

  std::vector<std::string> paths_;
  std::map<std::string, std::string> kinds_;
};

constexpr size_t most_places = 3;  // more do not help

/// Where the word's settings are, in or below the table if there are any.
std::vector<std::string> places_of(const ForeignWord& word, const std::string& table,
                                   const KnownSettings& known) {
  const std::string inside = table.empty() ? "" : table + ".";
  std::vector<std::string> named;
  std::vector<std::string> endings;
  for (const std::string& path : alternatives(word.paths)) {
    if (!path.starts_with("*.")) {
      named.push_back(path);
    } else if (const std::string here = inside + path.substr(2); known.has(here)) {
      return {here};
    } else {
      endings.push_back(path.substr(1));
    }
  }
  const bool is_any_part = named.empty();
  const auto is_elsewhere = [&](const std::string& path) { return !is_below(path, table); };
  if (!std::all_of(named.begin(), named.end(), is_elsewhere) || !endings.empty()) {
    std::erase_if(named, is_elsewhere);
  }
  for (const std::string& ending : endings) {
    if (is_any_part && named.empty()) {
      named = known.below(table, ending);
    }
  }
  named.resize(std::min(named.size(), most_places));
  return named;
}

const ForeignWord* find(std::string_view name) {
  const std::string wanted = as_a_setting(name);
  const std::span<const ForeignWord> all = foreign_words();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&wanted](const ForeignWord& one) { return one.word == wanted; });
  return found == all.end() ? nullptr : &*found;
}

/// The path, and the value that is meant if the word is a flag elsewhere.
std::string with_value(const std::string& path, const ForeignWord& word) {
  return word.value.empty() ? path : fmt::format("{} = {}", path, word.value);
}

std::string listed(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) {
    all += (all.empty() ? "" : " or ") + name;
  }
  return all;
}

}  // namespace

std::string in_heeds_words(const std::string& path, Recipe& recipe) {
  const ForeignWord* const word = find(last_name(path));
  if (word == nullptr || !word->advice.empty()) {
    return word == nullptr ? "" : fmt::format("; {}", word->advice);
  }
  const KnownSettings known(recipe);
  std::vector<std::string> there;
  std::vector<std::string> absent;
  for (const std::string& place : places_of(*word, table_of(path), known)) {
    known.has(place) ? there.push_back(with_value(place, *word))
                     : absent.push_back(known.of_another_part(place));
  }
  return !there.empty()    ? "; in heed it is " + listed(there)
         : !absent.empty() ? "; in heed it is " + absent.front()
                           : "";
}

std::string in_heeds_words(const std::string& path, std::string_view value) {
  const std::string name = last_name(path);
  const std::string wanted = as_a_setting(value);
  for (const ForeignValue& one : foreign_values()) {
    if (one.setting == name && one.value == wanted) {
      return "; in heed it is " + listed(alternatives(one.ours));
    }
  }
  return "";
}

std::string as_settings(std::string_view option, std::string_view value) {
  Recipe recipe;
  const std::string name = as_a_setting(option);
  const ForeignWord* const word = find(name);
  if (word != nullptr && !word->advice.empty()) {
    return fmt::format("; {}", word->advice);
  }
  std::vector<std::string> paths;
  const KnownSettings known(recipe);
  for (const char* table : {"training.", "data.", "model."}) {
    if (const std::string path = table + name; paths.empty() && known.has(path)) {
      paths.push_back(path);
    }
  }
  if (paths.empty() && word != nullptr) {
    paths = places_of(*word, "", known);
  }
  for (std::string& path : paths) {
    const std::string_view said = word != nullptr && !word->value.empty() ? word->value : value;
    path = fmt::format("--set {}={}", path, said.empty() ? "…" : said);
  }
  return paths.empty() ? "" : "; that is a setting: " + listed(paths);
}

}  // namespace heed
