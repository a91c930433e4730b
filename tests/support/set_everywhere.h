// Sets settings by their bare names, in the module itself and in all its parts.
#pragma once

#include <map>
#include <string>

#include "heed/base/error.h"
#include "heed/config/described.h"

namespace heed::test {

class EverywhereSetter : public Describer {
 public:
  explicit EverywhereSetter(std::map<std::string, Json> values) : values_(std::move(values)) {}

  void setting(const char* name, Setting& setting) override {
    if (const auto found = values_.find(name); found != values_.end()) {
      require(setting.assign(found->second), "test: {} does not take {}", name,
              found->second.write());
    }
  }
  void choice(const char* /*name*/, const Choice& choice) override {
    for (Described* part : choice.parts()) {
      part->describe(*this);
    }
  }

 private:
  std::map<std::string, Json> values_;
};

/// Names that do not occur are ignored.
inline void set_everywhere(Described& described, std::map<std::string, Json> values) {
  EverywhereSetter setter(std::move(values));
  described.describe(setter);
}

}  // namespace heed::test
