#include "heed/engine/run/variant_names.h"

#include <algorithm>
#include <map>

#include "heed/base/sha256.h"
#include "heed/engine/run/recipe_file.h"

namespace heed {
namespace {

bool is_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
}

/// As part of a folder's name: other characters become _.
std::string in_name(const std::string& value, const std::string& also = "") {
  std::string name;
  for (const char letter : value) {
    const bool is_plain = is_letter(letter) || (letter >= '0' && letter <= '9') || letter == '.' ||
                          letter == '_' || also.find(letter) != std::string::npos;
    if (is_plain) {
      name += letter;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  name.erase(name.find_last_not_of('_') + 1);
  return name.empty() ? "_" : name;
}

std::string number_in_name(const std::string& value) { return in_name(value, "-+"); }

/// The settings in a value, by their dotted paths; a name stands for { kind = name }.
using Settings = std::map<std::string, std::string>;
void collect(const Json& value, const std::string& path, Settings& all) {
  const std::string below = path.empty() ? "" : path + ".";
  if (const auto* members = value.get<Json::Object>()) {
    for (const Json::Member& member : *members) {
      collect(member.value, below + member.key, all);
    }
  } else if (const auto* items = value.get<Json::Array>()) {
    for (size_t i = 0; i < items->size(); ++i) {
      collect((*items)[i], items->size() == 1 ? path : below + std::to_string(i), all);
    }
  } else if (const auto* text = value.get<std::string>()) {
    all[path.ends_with("kind") ? path : below + "kind"] = *text;
  } else if (const auto* number = value.get<double>()) {
    all[path] = fmt::format("{}", *number);  // JSON has no infinity
  } else {
    all[path] = value.write();
  }
}

/// The name of a part or of a list of parts; empty if the value is something else.
std::string part_name(const Json& value) {
  if (const auto* text = value.get<std::string>()) {
    const std::string name = in_name(*text);
    return is_letter(name.front()) ? name : "";
  }
  std::string name;
  if (const auto* members = value.get<Json::Object>()) {
    for (const Json::Member& member : *members) {
      name = member.key == "kind" ? part_name(member.value) : name;
    }
  } else if (const auto* items = value.get<Json::Array>()) {
    for (const Json& item : *items) {
      const std::string one = part_name(item);
      if (one.empty()) {
        return "";
      }
      name += (name.empty() ? "" : "_") + one;
    }
  }
  return name;
}

bool has_nothing(const Json& value) {
  const auto* text = value.get<std::string>();
  const auto* items = value.get<Json::Array>();
  const auto* members = value.get<Json::Object>();
  return (text != nullptr && text->empty()) || (items != nullptr && items->empty()) ||
         (members != nullptr && members->empty());
}

/// The values of an axis that have one name, and the settings of each.
struct Namesakes {
  std::vector<size_t> places;
  std::vector<Settings> settings;
};

/// The settings whose values are not the same in all; those of a single one.
std::vector<std::string> telling(const Namesakes& some) {
  std::map<std::string, std::map<std::string, size_t>> counts;  // of each value of each setting
  for (const Settings& one : some.settings) {
    for (const auto& [key, value] : one) {
      ++counts[key][value];
    }
  }
  counts.erase("kind");
  std::vector<std::string> keys;
  for (const auto& [key, values] : counts) {
    const size_t all = some.settings.size();
    if (all == 1 || values.begin()->second < all) {
      keys.push_back(key);
    }
  }
  return keys;
}

/// "self.score.kind" and "dot" → "self.score=dot"
std::string assigned(const std::string& key, const std::string& value) {
  const std::string shown = key.ends_with(".kind") ? key.substr(0, key.size() - 5) : key;
  return in_name(shown) + "=" + number_in_name(value);
}

/// Long names are cut, and then have a digest of the whole.
std::string shortened(const std::string& name) {
  constexpr size_t longest = 40;
  constexpr size_t digits = 8;
  return name.size() <= longest ? name
                                : name.substr(0, longest - digits - 1) + "~" +
                                      Sha256().update(name).finish_hex().substr(0, digits);
}

/// `label` is what the setting is called.
std::vector<std::string> names_of(const Axis& axis, const std::string& label) {
  std::vector<std::string> names;
  std::map<std::string, Namesakes> parts;
  for (const std::string& text : axis.values) {
    const Json value = setting_value(text).value_or(text);
    const std::string name = part_name(value);
    const bool is_table = value.kind() == Json::Kind::object;
    if (!name.empty() || is_table) {
      Namesakes& same = parts[name];
      same.places.push_back(names.size());
      collect(value, "", same.settings.emplace_back());
    }
    names.push_back(
        !name.empty() ? name : label + "=" + (has_nothing(value) ? "none" : number_in_name(text)));
  }
  for (const auto& [name, same] : parts) {
    if (!name.empty() && same.places.size() == 1) {
      continue;
    }
    const std::vector<std::string> keys = telling(same);
    for (size_t i = 0; i < same.places.size(); ++i) {
      std::string whole = name;
      for (const std::string& key : keys) {
        const auto found = same.settings[i].find(key);
        whole += found == same.settings[i].end()
                     ? ""
                     : (whole.empty() ? "" : ",") + assigned(key, found->second);
      }
      names[same.places[i]] = whole.empty() ? names[same.places[i]] : shortened(whole);
    }
  }
  return names;
}

/// As many of the path's last words as tell it from those of the other axes.
std::string label_of(std::span<const Axis> axes, const Axis& axis) {
  for (size_t dot = axis.path.rfind('.'); dot != std::string::npos && dot > 0;
       dot = axis.path.rfind('.', dot - 1)) {
    const std::string end = axis.path.substr(dot);
    const auto has_it = [&](const Axis& other) { return ("." + other.path).ends_with(end); };
    if (std::count_if(axes.begin(), axes.end(), has_it) == 1) {
      return in_name(end.substr(1));
    }
  }
  return in_name(axis.path);
}

}  // namespace

std::vector<std::vector<std::string>> variant_names(std::span<const Axis> axes) {
  std::vector<std::vector<std::string>> all;
  for (const Axis& axis : axes) {
    all.push_back(names_of(axis, label_of(axes, axis)));
  }
  return all;
}

}  // namespace heed
