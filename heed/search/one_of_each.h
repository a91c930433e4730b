// One part of every kind of a catalogue, each with its own settings. Copies have their own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heed/base/catalogue.h"
#include "heed/config/apply.h"
#include "heed/config/explain.h"

namespace heed {

/// A part says what it owns in `describe` and copies itself in `copy`.
template <class Part>
class OneOfEach {
 public:
  explicit OneOfEach(const Catalogue<Part>& catalogue) {
    for (const auto& entry : catalogue) {
      all_.push_back(make_part(catalogue, entry.name));
    }
  }
  OneOfEach(const OneOfEach& other) {
    for (const auto& part : other.all_) {
      all_.push_back(part->copy());
    }
  }
  OneOfEach& operator=(const OneOfEach& other) {
    OneOfEach same(other);
    all_.swap(same.all_);
    return *this;
  }
  OneOfEach(OneOfEach&&) noexcept = default;
  OneOfEach& operator=(OneOfEach&&) noexcept = default;
  ~OneOfEach() = default;

  /// Lists their settings as settings of the owner.
  void describe(Describer& d) {
    for (const auto& part : all_) {
      part->describe(d);
    }
  }
  /// Sets a setting of one of them.
  void set(const std::string& name, const Json& value) {
    for (const auto& part : all_) {
      const Json own = config_of(*part);
      for (const Json::Member& one : *own.get<Json::Object>()) {
        if (one.key == name) {
          apply(*part, Json::object().set(name, value));
          return;
        }
      }
    }
    fail("search: saw the setting {}, which no part of a search has", name);
  }

  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

 private:
  std::vector<std::unique_ptr<Part>> all_;
};

}  // namespace heed
