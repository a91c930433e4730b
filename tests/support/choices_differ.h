// Checks that no two choices of a setting do the same.
#pragma once

#include "tests/support/turn_settings.h"

namespace heed::test {

inline std::vector<Knob> knobs_of(const MakeDescribed& make) {
  std::vector<Knob> knobs;
  KnobFinder finder(knobs);
  make()->describe(finder);
  return knobs;
}

/// Runs the probe with the value that is there and with every other the setting may take by name;
/// all must differ. `options.given` holds here too, and a refusal must be documented.
inline void expect_choices_differ(const Knob& knob, const MakeDescribed& make, const Probe& probe,
                                  const TurnOptions& options = {}) {
  std::map<std::vector<double>, std::string> met;
  std::vector<Json> choices = knob.others;
  choices.insert(choices.begin(), Json());  // what is there
  for (const Json& choice : choices) {
    const std::string name = choice.kind() == Json::Kind::null ? "the default" : choice.write();
    const std::unique_ptr<Described> module = make();
    if (const auto given = options.given.find(knob.path); given != options.given.end()) {
      apply(*module, given->second);
    }
    try {
      if (choice.kind() != Json::Kind::null) {
        apply(*module, just(config_of(*module), knob.keys, choice));
      }
      const auto [place, is_new] = met.emplace(probe(*module), name);
      EXPECT_TRUE(is_new) << knob.path << ": " << name << " does what " << place->second << " does";
    } catch (const Error& error) {
      const auto refusal = options.refused.find(knob.path);
      EXPECT_TRUE(refusal != options.refused.end() &&
                  std::string(error.what()).find(refusal->second) != std::string::npos)
          << knob.path << ": " << name << " is refused: " << error.what();
    }
  }
}

inline bool is_chosen_by_name(const Knob& knob) {
  return !knob.others.empty() && knob.others.front().get<std::string>() != nullptr;
}

}  // namespace heed::test
