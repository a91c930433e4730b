// A module names what it owns once, in `describe`: settings, parts chosen from a catalogue,
// parameters, children. Saving, loading, the optimiser, recipes, help and the property tests all
// read that one list.
//
// Life of a module: a factory returns it unbuilt with its defaults; settings arrive through
// `describe`; the module's own `build(widths…, init)` then makes children and parameters. Before
// that `describe` names settings and parts only.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "heed/base/catalogue.h"
#include "heed/tensor/tensor.h"

namespace heed {

class Describer;

class Module {
 public:
  Module() = default;
  virtual ~Module() = default;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  virtual void describe(Describer& d) = 0;

  /// The name its catalogue knows it by; empty for what comes from no catalogue.
  const std::string& kind() const { return kind_; }
  void set_kind(std::string kind) { kind_ = std::move(kind); }

 private:
  std::string kind_;
};

/// A part by its name or alias, with its defaults.
template <class Part>
std::unique_ptr<Part> make_part(const Catalogue<Part>& catalogue, std::string_view name) {
  const auto& entry = catalogue.at(name);
  std::unique_ptr<Part> part = entry.make();
  part->set_kind(entry.name);
  return part;
}

/// What a setting may be, and what it is for.
struct About {
  std::string help;
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  std::vector<std::string> choices = {};  // of a text; empty: any text
};

/// A part (or a list of parts) chosen by name from a catalogue, without its type.
struct Choice {
  std::vector<std::string> names;  // the catalogue's
  std::vector<std::string> aliases;
  /// The catalogue's own name for a name or alias; empty where it has none.
  std::function<std::string(const std::string&)> resolve;
  std::function<std::vector<Module*>()> parts;  // those there are now, each knows its kind
  std::function<void()> clear;
  std::function<Module&(const std::string&)> add;  // by name or alias; throws with a suggestion
  bool is_list = false;
};

/// Walks over what a module describes.
class Describer {
 public:
  virtual ~Describer() = default;

  virtual void setting(const char* name, bool& value, const About& about) = 0;
  virtual void setting(const char* name, int64_t& value, const About& about) = 0;
  virtual void setting(const char* name, double& value, const About& about) = 0;
  virtual void setting(const char* name, std::string& value, const About& about) = 0;
  /// Of lists, `about` says what each item may be; a single item will do for a list of one.
  virtual void setting(const char* name, std::vector<std::string>& value, const About& about) = 0;
  virtual void setting(const char* name, std::vector<int64_t>& value, const About& about) = 0;
  virtual void choice(const char* name, const Choice& choice, const About& about) = 0;
  virtual void parameter(const char* name, Tensor& value) = 0;
  virtual void child(const std::string& name, Module& module) = 0;
  /// A child that `build` makes from its owner's settings: it has parameters, its settings are its
  /// owner's.
  virtual void built(const std::string& name, Module& module) { child(name, module); }

  /// One part from a catalogue.
  template <class Part>
  void part(const char* name, std::unique_ptr<Part>& part, const Catalogue<Part>& catalogue,
            const About& about) {
    Choice one = choice_from(catalogue);
    one.parts = [&part] {
      return part ? std::vector<Module*>{part.get()} : std::vector<Module*>{};
    };
    one.clear = [&part] { part.reset(); };
    one.add = [&part, &catalogue](const std::string& kind) -> Module& {
      part = make_part(catalogue, kind);
      return *part;
    };
    choice(name, one, about);
  }
  /// Any number of parts from a catalogue, in order.
  template <class Part>
  void parts(const char* name, std::vector<std::unique_ptr<Part>>& parts,
             const Catalogue<Part>& catalogue, const About& about) {
    Choice list = choice_from(catalogue);
    list.is_list = true;
    list.parts = [&parts] {
      std::vector<Module*> all;
      for (const auto& part : parts) {
        all.push_back(part.get());
      }
      return all;
    };
    list.clear = [&parts] { parts.clear(); };
    list.add = [&parts, &catalogue](const std::string& kind) -> Module& {
      parts.push_back(make_part(catalogue, kind));
      return *parts.back();
    };
    choice(name, list, about);
  }
  /// Children of one kind: name.0, name.1, …
  template <class Child>
  void children(const std::string& name, std::vector<std::unique_ptr<Child>>& modules) {
    for (size_t i = 0; i < modules.size(); ++i) {
      built(name + "." + std::to_string(i), *modules[i]);
    }
  }

 private:
  template <class Part>
  static Choice choice_from(const Catalogue<Part>& catalogue) {
    Choice any;
    any.names = catalogue.names();
    for (const auto& entry : catalogue) {
      any.aliases.insert(any.aliases.end(), entry.aliases.begin(), entry.aliases.end());
    }
    any.resolve = [&catalogue](const std::string& name) {
      const auto* entry = catalogue.find(name);
      return entry == nullptr ? std::string() : entry->name;
    };
    return any;
  }
};

/// The helper most modules need: a describer that passes over everything it is not asked about.
class SilentDescriber : public Describer {
 public:
  void setting(const char*, bool&, const About&) override {}
  void setting(const char*, int64_t&, const About&) override {}
  void setting(const char*, double&, const About&) override {}
  void setting(const char*, std::string&, const About&) override {}
  void setting(const char*, std::vector<std::string>&, const About&) override {}
  void setting(const char*, std::vector<int64_t>&, const About&) override {}
  void choice(const char*, const Choice&, const About&) override {}
  void parameter(const char*, Tensor&) override {}
  void child(const std::string&, Module&) override {}
};

struct NamedParameter {
  std::string name;  // "decoder.attention.score.key.weight"
  Tensor* tensor;
};

/// Every parameter in order of description. A tied parameter is described twice and listed twice,
/// under both names.
std::vector<NamedParameter> parameters_of(Module& module);
/// The same with each tensor once, under the first of its names.
std::vector<NamedParameter> distinct_parameters_of(Module& module);
int64_t count_parameters(Module& module);
/// By its full name; an unknown one is an Error that suggests another.
const Tensor& parameter_named(Module& module, const std::string& name);
/// Writes the values of `from` (any element type, any backend) into the memory of `to`: a built
/// parameter is never replaced.
void copy_values(const Tensor& from, const Tensor& to);

}  // namespace heed
