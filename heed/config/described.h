// Whatever can be configured names what it owns once, in `describe`: settings, parts chosen from a
// catalogue, children, and, if it is a Module (heed/nn/module.h), parameters. Recipes, model files,
// the command line, help, saving, loading, optimisers and the property tests all read that one list.
//
// A Describer walks over such a list. It sees the kinds whose functions it overrides and ignores
// the rest.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "heed/base/catalogue.h"
#include "heed/config/setting.h"

namespace heed {

class Describer;
class Weight;
class Tensor;  // a parameter; this layer knows only that there are some

class Described {
 public:
  Described() = default;
  virtual ~Described() = default;
  Described(const Described&) = default;
  Described& operator=(const Described&) = default;

  virtual void describe(Describer& d) = 0;

  /// Its name in its catalogue; empty for what comes from no catalogue.
  const std::string& kind() const { return kind_; }
  void set_kind(std::string kind) { kind_ = std::move(kind); }

 private:
  std::string kind_;
};

/// Makes the part of this name or alias, with its defaults.
template <class Part>
std::unique_ptr<Part> make_part(const Catalogue<Part>& catalogue, std::string_view name) {
  const auto& entry = catalogue.at(name);
  std::unique_ptr<Part> part = entry.make();
  part->set_kind(entry.name);
  return part;
}

/// A part (or a list of parts) chosen by name from a catalogue, without its type.
struct Choice {
  std::vector<std::string> names;  // the catalogue's
  std::vector<std::string> aliases;
  /// The catalogue's own name for a name or alias; empty where it has none.
  std::function<std::string(const std::string&)> resolve;
  std::function<std::vector<Described*>()> parts;  // the present ones; each knows its kind
  std::function<void()> clear;
  std::function<Described&(const std::string&)> add;  // by name or alias; throws with a suggestion
  bool is_list = false;
  std::string help;
};

/// A part with a name.
template <class Part>
struct NamedPart {
  std::string name;
  std::unique_ptr<Part> part;
};

/// Parts with names, in the order in which they were named, without their type.
struct PartTable {
  std::vector<std::string> kinds;  // the catalogue's
  std::function<std::vector<std::string>()> names;
  /// The choice of the part with this name, which need not exist yet.
  std::function<Choice(const std::string& name)> entry;
  std::string help;
};

class Describer {
 public:
  virtual ~Describer() = default;

  virtual void setting(const char* /*name*/, Setting& /*setting*/) {}
  virtual void choice(const char* /*name*/, const Choice& /*choice*/) {}
  /// Unless it is overridden, each part is a separate choice: "decoders.second".
  virtual void table(const char* name, const PartTable& table) {
    for (const std::string& key : table.names()) {
      choice((std::string(name) + "." + key).c_str(), table.entry(key));
    }
  }
  virtual void parameter(const char* /*name*/, Tensor& /*value*/) {}
  /// A parameter that its module multiplies by.
  virtual void weight(const char* /*name*/, Weight& /*value*/) {}
  /// A child with settings of its own.
  virtual void child(const std::string& /*name*/, Described& /*child*/) {}
  /// A child that `build` makes from its owner's settings: it has parameters, but no settings of
  /// its own.
  virtual void built(const std::string& /*name*/, Described& /*child*/) {}

  /// A value of one of SettingOf's types.
  template <class T>
  void setting(const char* name, T& value, About about) {
    SettingOf<T> one(value, std::move(about));
    setting(name, one);
  }
  /// One of an enum's values by name.
  template <class Enum>
  void setting(const char* name, Enum& value, const Names<std::type_identity_t<Enum>>& names,
               About about) {
    NamedSetting<Enum> one(value, names, std::move(about));
    setting(name, one);
  }
  /// One part from a catalogue.
  template <class Part>
  void part(const char* name, std::unique_ptr<Part>& part, const Catalogue<Part>& catalogue,
            std::string help) {
    Choice one = choice_from(catalogue, std::move(help));
    one.parts = [&part] {
      return part ? std::vector<Described*>{part.get()} : std::vector<Described*>{};
    };
    one.clear = [&part] { part.reset(); };
    one.add = [&part, &catalogue](const std::string& kind) -> Described& {
      part = make_part(catalogue, kind);
      return *part;
    };
    choice(name, one);
  }
  /// Any number of parts from a catalogue, in order.
  template <class Part>
  void parts(const char* name, std::vector<std::unique_ptr<Part>>& parts,
             const Catalogue<Part>& catalogue, std::string help) {
    Choice list = choice_from(catalogue, std::move(help));
    list.is_list = true;
    list.parts = [&parts] {
      std::vector<Described*> all;
      for (const auto& part : parts) {
        all.push_back(part.get());
      }
      return all;
    };
    list.clear = [&parts] { parts.clear(); };
    list.add = [&parts, &catalogue](const std::string& kind) -> Described& {
      parts.push_back(make_part(catalogue, kind));
      return *parts.back();
    };
    choice(name, list);
  }
  /// Any number of parts from a catalogue, each with a name.
  template <class Part>
  void named_parts(const char* name, std::vector<NamedPart<Part>>& parts,
                   const Catalogue<Part>& catalogue, std::string help) {
    PartTable named;
    named.kinds = catalogue.names();
    named.help = help;
    named.names = [&parts] {
      std::vector<std::string> all;
      for (const NamedPart<Part>& one : parts) {
        all.push_back(one.name);
      }
      return all;
    };
    named.entry = [&parts, &catalogue, help](const std::string& key) {
      const auto find = [&parts, key]() -> std::unique_ptr<Part>* {
        for (NamedPart<Part>& one : parts) {
          if (one.name == key) {
            return &one.part;
          }
        }
        return nullptr;
      };
      Choice one = choice_from(catalogue, help);
      one.parts = [find] {
        auto* const there = find();
        return there == nullptr ? std::vector<Described*>{} : std::vector<Described*>{there->get()};
      };
      one.clear = [&parts, key] {
        std::erase_if(parts, [&key](const NamedPart<Part>& part) { return part.name == key; });
      };
      one.add = [&parts, &catalogue, find, key](const std::string& kind) -> Described& {
        auto* there = find();
        if (there == nullptr) {
          parts.push_back({key, nullptr});
          there = &parts.back().part;
        }
        *there = make_part(catalogue, kind);
        return **there;
      };
      return one;
    };
    table(name, named);
  }
  /// Children of one kind that `build` makes: name.0, name.1, …
  template <class Child>
  void children(const std::string& name, std::vector<std::unique_ptr<Child>>& children) {
    for (size_t i = 0; i < children.size(); ++i) {
      built(name + "." + std::to_string(i), *children[i]);
    }
  }

 private:
  template <class Part>
  static Choice choice_from(const Catalogue<Part>& catalogue, std::string help) {
    Choice any;
    any.names = catalogue.names();
    for (const auto& entry : catalogue) {
      any.aliases.insert(any.aliases.end(), entry.aliases.begin(), entry.aliases.end());
    }
    any.resolve = [&catalogue](const std::string& name) {
      const auto* entry = catalogue.find(name);
      return entry == nullptr ? std::string() : entry->name;
    };
    any.help = std::move(help);
    return any;
  }
};

}  // namespace heed
