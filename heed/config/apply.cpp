#include "heed/config/apply.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/config/explain.h"

namespace heed {
namespace {

using Faults = std::vector<SettingFault>;

constexpr size_t most_faults = 100;  // that are reported; nobody reads more
constexpr size_t most_parts = 64;    // in a list or a table of parts

std::string in_lines(const Faults& faults) {
  std::vector<std::string> lines;
  for (const SettingFault& fault : faults) {
    lines.push_back(fault.sentence());
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

std::string listed(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

const Json* member(const Json::Object& table, const std::string& key) {
  for (const Json::Member& one : table) {
    if (one.key == key) {
      return &one.value;
    }
  }
  return nullptr;
}

/// The first word in `given` (which may be a list) that is not among `names`; null if there is none.
const std::string* wrong_word(const Json& given, const std::vector<std::string>& names) {
  if (const Json::Array* items = given.get<Json::Array>()) {
    for (const Json& item : *items) {
      if (const std::string* word = wrong_word(item, names)) {
        return word;
      }
    }
    return nullptr;
  }
  const std::string* word = given.get<std::string>();
  const bool is_wrong =
      word != nullptr && std::find(names.begin(), names.end(), *word) == names.end();
  return is_wrong ? word : nullptr;
}

/// Whether a part of a table may have this name.
bool is_name(const std::string& text) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  return !text.empty() && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(), [&is_letter](char c) {
           return is_letter(c) || c == '_' || (c >= '0' && c <= '9');
         });
}

class Applier : public Describer {
 public:
  Applier(const Json& tree, std::string path, Faults& faults)
      : tree_(tree), path_(std::move(path)), faults_(faults) {}

  /// Where `is_part`, the table may have a key "kind".
  void run(Described& described, bool is_part) {
    table_ = tree_.get<Json::Object>();
    if (table_ == nullptr) {
      fault(path_, "must be a table of settings, not {}", shown(tree_));
      return;
    }
    described.describe(*this);
    for (const Json::Member& one : *table_) {
      const bool is_known = std::find(known_.begin(), known_.end(), one.key) != known_.end();
      if (!is_known && !(is_part && one.key == "kind")) {
        refuse_unknown(one.key, described.kind());
      }
    }
  }

  void setting(const char* name, Setting& setting) override {
    const Json* given = take(name);
    if (given != nullptr && !setting.assign(*given)) {
      const std::vector<std::string> names = setting.about().all_names();
      const std::string* word = wrong_word(*given, names);
      if (word != nullptr && !names.empty()) {
        fault(below(name), "unknown \"{}\"; choose {}{}", *word, setting.allowed(),
              did_you_mean(*word, names));
      } else {
        fault(below(name), "must be {}, not {}", setting.allowed(), shown(*given));
      }
    }
  }
  void choice(const char* name, const Choice& choice) override {
    const Json* given = take(name);
    if (given == nullptr) {
      return;
    }
    if (!choice.is_list) {
      put(choice, *given, below(name));
      return;
    }
    choice.clear();
    const Json::Array* parts = given->get<Json::Array>();
    if (parts != nullptr && parts->size() > most_parts) {
      fault(below(name), "{} parts are too many; give at most {}", parts->size(),
            size_t{most_parts});
    } else if (parts != nullptr) {
      for (size_t i = 0; i < parts->size(); ++i) {
        put(choice, (*parts)[i], fmt::format("{}[{}]", below(name), i));
      }
    } else {
      put(choice, *given, below(name));
    }
  }
  void table(const char* name, const PartTable& table) override {
    const Json* given = take(name);
    if (given == nullptr) {
      return;
    }
    const Json::Object* entries = given->get<Json::Object>();
    if (entries == nullptr) {
      fault(below(name), "must be a table of parts, each under a name, not {}", shown(*given));
      return;
    }
    if (entries->size() > most_parts) {
      fault(below(name), "{} parts are too many; give at most {}", entries->size(),
            size_t{most_parts});
      return;
    }
    for (const Json::Member& one : *entries) {
      const std::string path = below(name) + "." + one.key;
      if (is_name(one.key)) {
        put(table.entry(one.key), one.value, path);
      } else {
        fault(path, "the name \"{}\" must be of small letters, digits and _, with a letter first",
              one.key);
      }
    }
  }
  void child(const std::string& name, Described& child) override {
    if (config_of(child).get<Json::Object>()->empty()) {
      return;
    }
    if (const Json* given = take(name)) {
      Applier(*given, below(name), faults_).run(child, false);
    }
  }

 private:
  template <class... Values>
  void fault(const std::string& path, fmt::format_string<Values...> message, Values&&... values) {
    if (faults_.size() < most_faults) {
      faults_.push_back({path, fmt::format(message, std::forward<Values>(values)...)});
    }
  }
  std::string below(const std::string& name) const {
    return path_.empty() ? name : path_ + "." + name;
  }
  /// Notes that the setting exists, and returns what the table says about it, or null.
  const Json* take(const std::string& name) {
    known_.push_back(name);
    return member(*table_, name);
  }
  void put(const Choice& choice, const Json& given, const std::string& path) {
    Described* part = chosen(choice, given, path);
    if (part != nullptr && given.get<Json::Object>() != nullptr) {
      Applier(given, path, faults_).run(*part, true);
    }
  }
  /// The part that `given` is about. It is made anew if `given` names another kind than the present
  /// part's. Null where `given` names no part.
  Described* chosen(const Choice& choice, const Json& given, const std::string& path) {
    const std::vector<Described*> there =
        choice.is_list ? std::vector<Described*>() : choice.parts();
    const Json* kind = &given;
    if (const Json::Object* table = given.get<Json::Object>()) {
      kind = member(*table, "kind");
      if (kind == nullptr && !there.empty()) {
        return there.front();
      }
    }
    const std::string* word = kind == nullptr ? nullptr : kind->get<std::string>();
    if (word == nullptr) {
      fault(path, "must be the name of a part, or a table with its kind (one of {1}), not {0}",
            shown(given), listed(choice.names));
      return nullptr;
    }
    const std::string name = choice.resolve(*word);
    if (name.empty()) {
      std::vector<std::string> candidates = choice.names;
      candidates.insert(candidates.end(), choice.aliases.begin(), choice.aliases.end());
      fault(path, "unknown \"{}\"; choose one of {}{}", *word, listed(choice.names),
            did_you_mean(*word, candidates));
      return nullptr;
    }
    return !there.empty() && there.front()->kind() == name ? there.front() : &choice.add(name);
  }
  void refuse_unknown(const std::string& key, const std::string& kind) {
    const std::string who = kind.empty() ? "" : " of " + kind;
    const std::string hint = did_you_mean(key, known_);
    fault(below(key), "unknown setting{}{}", who,
          known_.empty()  ? "; there are none, remove it"
          : !hint.empty() ? hint
                          : "; there are " + listed(known_));
    faults_.back().is_unknown = true;
  }

  const Json& tree_;
  const Json::Object* table_ = nullptr;
  std::string path_;
  Faults& faults_;
  std::vector<std::string> known_;
};

}  // namespace

SettingError::SettingError(std::vector<SettingFault> faults)
    : Error(in_lines(faults), Fault::usage), faults_(std::move(faults)) {}

void apply(Described& described, const Json& tree, const std::string& path) {
  Faults faults;
  Applier(tree, path, faults).run(described, false);
  if (!faults.empty()) {
    throw SettingError(std::move(faults));
  }
}

}  // namespace heed
