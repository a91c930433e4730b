#include "heed/nn/settings.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace heed {
namespace {

/// A value as a message shows it.
std::string shown(const Json& value) {
  constexpr size_t most = 60;
  const double* number = value.get<double>();
  std::string text =
      number != nullptr && !std::isfinite(*number) ? fmt::format("{}", *number) : value.write();
  return text.size() <= most ? text : text.substr(0, most) + "…";
}

std::string listed(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) {
    all += all.empty() ? name : ", " + name;
  }
  return all;
}

std::string in_range(const std::string& what, const About& about) {
  const bool has_least = std::isfinite(about.least);
  const bool has_most = std::isfinite(about.most);
  if (has_least && has_most) {
    return fmt::format("{} from {:g} to {:g}", what, about.least, about.most);
  }
  return has_least  ? fmt::format("{} of at least {:g}", what, about.least)
         : has_most ? fmt::format("{} of at most {:g}", what, about.most)
                    : what;
}

std::string allowed(const bool& /*type*/, const About& /*about*/) { return "true or false"; }
std::string allowed(const int64_t& /*type*/, const About& about) {
  return in_range("a whole number", about);
}
std::string allowed(const double& /*type*/, const About& about) {
  return in_range("a number", about);
}
std::string allowed(const std::string& /*type*/, const About& about) {
  return about.choices.empty() ? "text" : "one of " + listed(about.choices);
}
std::string allowed(const std::vector<std::string>& /*type*/, const About& about) {
  return about.choices.empty() ? "a list of texts" : "any of " + listed(about.choices);
}
std::string allowed(const std::vector<int64_t>& /*type*/, const About& about) {
  return in_range("a list of whole numbers, each", about);
}
std::string allowed(const Choice& choice) {
  return (choice.is_list ? "any number of " : "one of ") + listed(choice.names);
}

/// What `given` says as a value of the setting's type; false where it says none.
bool read(const Json& given, bool& value) {
  const bool* found = given.get<bool>();
  value = found != nullptr && *found;
  return found != nullptr;
}
bool read(const Json& given, int64_t& value) {
  const int64_t* found = given.get<int64_t>();
  value = found != nullptr ? *found : 0;
  return found != nullptr;
}
bool read(const Json& given, double& value) {
  if (const int64_t* whole = given.get<int64_t>()) {
    value = static_cast<double>(*whole);
    return true;
  }
  const double* found = given.get<double>();
  value = found != nullptr ? *found : 0;
  return found != nullptr && std::isfinite(value);
}
bool read(const Json& given, std::string& value) {
  const std::string* found = given.get<std::string>();
  value = found != nullptr ? *found : "";
  return found != nullptr;
}

/// The word in `given` that a suggestion may help with.
const std::string* word_in(const Json& given, const About& about) {
  if (const Json::Array* items = given.get<Json::Array>()) {
    const auto is_wrong = [&about](const Json& item) {
      const std::string* word = item.get<std::string>();
      return word != nullptr &&
             std::find(about.choices.begin(), about.choices.end(), *word) == about.choices.end();
    };
    const auto found = std::find_if(items->begin(), items->end(), is_wrong);
    return found == items->end() ? nullptr : found->get<std::string>();
  }
  return given.get<std::string>();
}

template <class T>
bool fits(const T& value, const About& about) {
  if constexpr (std::is_same_v<T, std::string>) {
    return about.choices.empty() ||
           std::find(about.choices.begin(), about.choices.end(), value) != about.choices.end();
  } else {
    const auto number = static_cast<double>(value);
    return number >= about.least && number <= about.most;
  }
}

/// All items of a list, or a single one; no text at all is no item.
template <class T>
bool read(const Json& given, std::vector<T>& value) {
  const Json::Array* items = given.get<Json::Array>();
  if (items == nullptr) {
    const std::string* word = given.get<std::string>();
    if (word != nullptr && word->empty()) {
      value.clear();
      return true;
    }
    value.resize(1);
    return read(given, value.front());
  }
  value.resize(items->size());
  for (size_t i = 0; i < items->size(); ++i) {
    if (!read((*items)[i], value[i])) {
      return false;
    }
  }
  return true;
}

template <class T>
bool fits(const std::vector<T>& value, const About& about) {
  return std::all_of(value.begin(), value.end(),
                     [&about](const T& item) { return fits(item, about); });
}

template <class T>
Json json_of(const T& value) {
  return value;
}
template <class T>
Json json_of(const std::vector<T>& value) {
  Json list = Json::array();
  for (const T& item : value) {
    list.push(item);
  }
  return list;
}

/// A walk that needs the same for settings of all types.
template <class Derived>
class SettingWalk : public Describer {
 public:
  void built(const std::string& /*name*/, Module& /*module*/) override {}
  void setting(const char* name, bool& value, const About& about) final {
    visit(name, value, about);
  }
  void setting(const char* name, int64_t& value, const About& about) final {
    visit(name, value, about);
  }
  void setting(const char* name, double& value, const About& about) final {
    visit(name, value, about);
  }
  void setting(const char* name, std::string& value, const About& about) final {
    visit(name, value, about);
  }
  void setting(const char* name, std::vector<std::string>& value, const About& about) final {
    visit(name, value, about);
  }
  void setting(const char* name, std::vector<int64_t>& value, const About& about) final {
    visit(name, value, about);
  }
  void parameter(const char* /*name*/, Tensor& /*value*/) final {}

 private:
  template <class T>
  void visit(const char* name, T& value, const About& about) {
    static_cast<Derived&>(*this).each(name, value, about);
  }
};

class Reader : public SettingWalk<Reader> {
 public:
  Json read_out(Module& module) {
    tree_ = Json::object();
    module.describe(*this);
    return std::move(tree_);
  }
  template <class T>
  void each(const char* name, T& value, const About& /*about*/) {
    tree_.set(name, json_of(value));
  }
  void choice(const char* name, const Choice& choice, const About& /*about*/) override {
    Json list = Json::array();
    for (Module* part : choice.parts()) {
      list.push(of_part(*part));
    }
    const Json::Array& parts = *list.get<Json::Array>();
    if (choice.is_list) {
      tree_.set(name, list);
    } else if (!parts.empty()) {
      tree_.set(name, parts.front());
    }
  }
  void child(const std::string& name, Module& module) override {
    const Json below = config_of(module);
    if (!below.get<Json::Object>()->empty()) {
      tree_.set(name, below);
    }
  }

 private:
  static Json of_part(Module& part) {
    const Json settings = config_of(part);
    if (settings.get<Json::Object>()->empty()) {
      return part.kind();
    }
    Json table = Json::object();
    table.set("kind", part.kind());
    for (const Json::Member& member : *settings.get<Json::Object>()) {
      table.append(member.key, member.value);
    }
    return table;
  }

  Json tree_;
};

class Applier : public SettingWalk<Applier> {
 public:
  Applier(const Json& tree, std::string path) : path_(std::move(path)) {
    table_ = tree.get<Json::Object>();
    if (table_ == nullptr) {
      throw SettingError(path_, fmt::format("saw {}, needs a table of settings", shown(tree)));
    }
  }
  /// `is_part`: the table may say its kind.
  void run(Module& module, bool is_part) {
    module.describe(*this);
    for (const Json::Member& member : *table_) {
      const bool is_known = std::find(known_.begin(), known_.end(), member.key) != known_.end();
      if (!is_known && !(is_part && member.key == "kind")) {
        refuse_unknown(member.key, module);
      }
    }
  }

  template <class T>
  void each(const char* name, T& value, const About& about) {
    const Json* given = take(name);
    if (given == nullptr) {
      return;
    }
    T fresh{};
    if (!read(*given, fresh) || !fits(fresh, about)) {
      const std::string* word = word_in(*given, about);
      throw SettingError(below(name),
                         fmt::format("saw {}, needs {}{}", shown(*given), allowed(value, about),
                                     word != nullptr ? did_you_mean(*word, about.choices) : ""));
    }
    value = fresh;
  }
  void choice(const char* name, const Choice& choice, const About& /*about*/) override {
    const Json* given = take(name);
    if (given == nullptr) {
      return;
    }
    if (!choice.is_list) {
      put(choice, *given, below(name));
      return;
    }
    choice.clear();
    if (const Json::Array* parts = given->get<Json::Array>()) {
      for (size_t i = 0; i < parts->size(); ++i) {
        put(choice, (*parts)[i], fmt::format("{}[{}]", below(name), i));
      }
    } else {
      put(choice, *given, below(name));
    }
  }
  void child(const std::string& name, Module& module) override {
    if (config_of(module).get<Json::Object>()->empty()) {
      return;
    }
    if (const Json* given = take(name)) {
      apply(module, *given, below(name));
    }
  }

 private:
  std::string below(const std::string& name) const {
    return path_.empty() ? name : path_ + "." + name;
  }
  /// Notes that there is such a setting; what the table says about it, or null.
  const Json* take(const std::string& name) {
    known_.push_back(name);
    for (const Json::Member& member : *table_) {
      if (member.key == name) {
        return &member.value;
      }
    }
    return nullptr;
  }
  static void put(const Choice& choice, const Json& given, const std::string& path) {
    Module* part = chosen(choice, given, path);
    if (given.get<Json::Object>() != nullptr) {
      Applier(given, path).run(*part, true);
    }
  }
  /// The part that `given` is about: made anew where it is of another kind than the one there.
  static Module* chosen(const Choice& choice, const Json& given, const std::string& path) {
    const std::vector<Module*> there = choice.is_list ? std::vector<Module*>() : choice.parts();
    const Json* kind = &given;
    if (const Json::Object* table = given.get<Json::Object>()) {
      const auto named = std::find_if(table->begin(), table->end(),
                                      [](const Json::Member& m) { return m.key == "kind"; });
      if (named == table->end() && !there.empty()) {
        return there.front();
      }
      kind = named == table->end() ? nullptr : &named->value;
    }
    const std::string* word = kind == nullptr ? nullptr : kind->get<std::string>();
    if (word == nullptr) {
      throw SettingError(path, fmt::format("saw {}, needs the name of a part, or a table with its "
                                           "kind: one of {}",
                                           shown(given), listed(choice.names)));
    }
    const std::string name = choice.resolve(*word);
    if (name.empty()) {
      std::vector<std::string> candidates = choice.names;
      candidates.insert(candidates.end(), choice.aliases.begin(), choice.aliases.end());
      throw SettingError(path, fmt::format("saw \"{}\", needs one of {}{}", *word,
                                           listed(choice.names), did_you_mean(*word, candidates)));
    }
    return !there.empty() && there.front()->kind() == name ? there.front() : &choice.add(name);
  }
  [[noreturn]] void refuse_unknown(const std::string& key, const Module& module) const {
    const std::string who = module.kind().empty() ? "" : " of " + module.kind();
    if (known_.empty()) {
      throw SettingError(below(key), fmt::format("saw a setting{} unknown here, needs none at all; "
                                                 "remove it",
                                                 who));
    }
    throw SettingError(below(key), fmt::format("saw a setting{} unknown here, needs one of {}{}",
                                               who, listed(known_), did_you_mean(key, known_)));
  }

  const Json::Object* table_;
  std::string path_;
  std::vector<std::string> known_;
};

constexpr const char* type_of(const bool& /*value*/) { return "bool"; }
constexpr const char* type_of(const int64_t& /*value*/) { return "int"; }
constexpr const char* type_of(const double& /*value*/) { return "float"; }
const char* type_of(const std::string& /*value*/) { return "text"; }
const char* type_of(const std::vector<std::string>& /*value*/) { return "texts"; }
const char* type_of(const std::vector<int64_t>& /*value*/) { return "ints"; }

class Explainer : public SettingWalk<Explainer> {
 public:
  Explainer(std::string prefix, std::vector<SettingHelp>& lines)
      : prefix_(std::move(prefix)), lines_(lines) {}

  template <class T>
  void each(const char* name, T& value, const About& about) {
    lines_.push_back(
        {prefix_ + name, type_of(value), shown(json_of(value)), allowed(value, about), about.help});
  }
  void choice(const char* name, const Choice& choice, const About& about) override {
    const std::vector<Module*> parts = choice.parts();
    Json kinds = Json::array();
    for (const Module* part : parts) {
      kinds.push(part->kind());
    }
    const Json one = parts.empty() ? Json() : Json(parts.front()->kind());
    lines_.push_back({prefix_ + name, choice.is_list ? "parts" : "part",
                      shown(choice.is_list ? kinds : one), allowed(choice), about.help});
    for (size_t i = 0; i < parts.size(); ++i) {
      walk(choice.is_list ? fmt::format("{}[{}]", name, i) : name, *parts[i]);
    }
  }
  void child(const std::string& name, Module& module) override { walk(name, module); }

 private:
  void walk(const std::string& name, Module& module) {
    Explainer below(prefix_ + name + ".", lines_);
    module.describe(below);
  }

  std::string prefix_;
  std::vector<SettingHelp>& lines_;
};

}  // namespace

void apply(Module& module, const Json& tree, const std::string& path) {
  Applier(tree, path).run(module, false);
}

Json config_of(Module& module) { return Reader().read_out(module); }

std::vector<SettingHelp> explain(Module& module) {
  std::vector<SettingHelp> lines;
  Explainer explainer("", lines);
  module.describe(explainer);
  return lines;
}

}  // namespace heed
