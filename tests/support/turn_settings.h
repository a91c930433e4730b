// Finds settings without effect: every setting that a module describes is changed to another
// allowed value, a new module is built from the same seed and run, and some output must differ.
//
//   turn_every_setting([] { return std::make_unique<FeedForward>(); },
//                      [&](Described& module) { … build, run … return y.values(); });
//
// The probe gets a configured, unbuilt module. If an automatic value shows nothing, `tries` gives
// others. If a setting acts only together with another, `given` sets that first. If only the
// default is possible in the probe, `refused` has a part of the refusal's message. Every setting
// that is changed here must act in this probe.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "heed/config/apply.h"
#include "heed/config/explain.h"

namespace heed::test {

struct TurnOptions {
  std::map<std::string, std::vector<Json>> tries = {};  // path → values in place of automatic ones
  std::map<std::string, Json> given = {};               // path → what must be set for it to act
  std::map<std::string, std::string> refused = {};      // path → part of the refusal's message
};

using MakeDescribed = std::function<std::unique_ptr<Described>()>;
using Probe = std::function<std::vector<double>(Described&)>;

/// One setting and the values it might take instead.
struct Knob {
  std::vector<std::string> keys;  // names, and numbers inside lists
  std::string path;               // as SettingHelp::path
  std::vector<Json> others;
};

/// Collects the knobs of a module and of the parts and children it has.
class KnobFinder : public Describer {
 public:
  explicit KnobFinder(std::vector<Knob>& knobs) : knobs_(knobs) {}

  void setting(const char* name, Setting& setting) override {
    const Json value = setting.value();
    std::vector<Json> others;
    for (const Json& other : candidates(value, setting.about())) {
      if (other != value && takes(setting, other)) {
        others.push_back(other);
      }
    }
    add(name, others);
  }
  void choice(const char* name, const Choice& choice) override {
    const std::vector<Described*> parts = choice.parts();
    std::vector<Json> others;
    for (const std::string& kind : choice.names) {
      if (parts.size() != 1 || parts.front()->kind() != kind) {
        others.emplace_back(kind);
      }
    }
    add(name, others);
    for (size_t i = 0; i < parts.size(); ++i) {
      std::vector<std::string> keys = {name};
      std::string path = name;
      if (choice.is_list) {
        keys.push_back(std::to_string(i));
        path += "[" + std::to_string(i) + "]";
      }
      walk(*parts[i], keys, path);
    }
  }
  void child(const std::string& name, Described& child) override { walk(child, {name}, name); }

 private:
  /// Values of the setting's type, allowed or not.
  static std::vector<Json> candidates(const Json& value, const About& about) {
    if (const bool* truth = value.get<bool>()) {
      return {!*truth};
    }
    if (const int64_t* whole = value.get<int64_t>()) {
      const int64_t n = *whole;
      return {n + 1, 2 * n, n - 1, n + 2, n / 2};
    }
    if (const double* number = value.get<double>()) {
      const double x = *number;
      return {x + 0.25, 2 * x, x / 2, x - 0.25, x + 1};
    }
    if (const Json::Array* list = value.get<Json::Array>();
        list != nullptr && about.choices.empty()) {
      return {static_cast<int64_t>(list->size()) + 1};
    }
    return {about.choices.begin(), about.choices.end()};
  }
  /// Tries it, and puts back what was there.
  static bool takes(Setting& setting, const Json& other) {
    const Json before = setting.value();
    const bool is_allowed = setting.assign(other);
    setting.assign(before);
    return is_allowed;
  }
  void add(const std::string& name, std::vector<Json> others) {
    Knob knob{keys_, prefix_ + name, std::move(others)};
    knob.keys.push_back(name);
    knobs_.push_back(std::move(knob));
  }
  void walk(Described& described, const std::vector<std::string>& keys, const std::string& path) {
    KnobFinder below(knobs_);
    below.keys_ = keys_;
    below.keys_.insert(below.keys_.end(), keys.begin(), keys.end());
    below.prefix_ = prefix_ + path + ".";
    described.describe(below);
  }

  std::vector<std::string> keys_;
  std::string prefix_;
  std::vector<Knob>& knobs_;
};

/// The smallest tree that sets `value` at `keys` in a module configured as `config`: one member in
/// each table, but whole lists, because a list is replaced as a whole.
inline Json just(const Json& config, std::span<const std::string> keys, const Json& value) {
  if (keys.empty()) {
    return value;
  }
  if (const Json::Array* list = config.get<Json::Array>()) {
    Json whole = Json::array();
    for (size_t i = 0; i < list->size(); ++i) {
      Json item = (*list)[i];
      if (std::to_string(i) == keys[0]) {
        const Json change = just(item, keys.subspan(1), value);
        for (const Json::Member& member : *change.get<Json::Object>()) {
          item.set(member.key, member.value);
        }
      }
      whole.push(std::move(item));
    }
    return whole;
  }
  Json below;
  if (const Json::Object* table = config.get<Json::Object>()) {
    for (const Json::Member& member : *table) {
      below = member.key == keys[0] ? member.value : below;
    }
  }
  Json one = Json::object();
  one.set(keys[0], just(below, keys.subspan(1), value));
  return one;
}

inline void turn(const Knob& knob, const MakeDescribed& make, const Probe& probe,
                 const TurnOptions& options) {
  const auto fresh = [&] {
    std::unique_ptr<Described> module = make();
    if (const auto given = options.given.find(knob.path); given != options.given.end()) {
      apply(*module, given->second);
    }
    return module;
  };
  const std::unique_ptr<Described> plain = fresh();
  const Json config = config_of(*plain);
  const std::vector<double> before = probe(*plain);
  const auto tries = options.tries.find(knob.path);
  std::string seen;
  for (const Json& other : tries != options.tries.end() ? tries->second : knob.others) {
    const std::unique_ptr<Described> turned = fresh();
    try {
      apply(*turned, just(config, knob.keys, other));
      if (probe(*turned) != before) {
        return;
      }
      seen += "\n  " + other.write() + " changes nothing";
    } catch (const Error& error) {
      seen += "\n  " + other.write() + " is refused: " + error.what();
      const auto refusal = options.refused.find(knob.path);
      if (refusal != options.refused.end() && seen.find(refusal->second) != std::string::npos) {
        return;
      }
    }
  }
  ADD_FAILURE() << knob.path << " does nothing" << (seen.empty() ? ": no value to try" : seen);
}

/// Fails for every setting that changes no output. Returns how many settings there were.
inline size_t turn_every_setting(const MakeDescribed& make, const Probe& probe,
                                 const TurnOptions& options = {}) {
  std::vector<Knob> knobs;
  KnobFinder finder(knobs);
  make()->describe(finder);
  for (const Knob& knob : knobs) {
    SCOPED_TRACE(knob.path);
    turn(knob, make, probe, options);
  }
  return knobs.size();
}

}  // namespace heed::test
