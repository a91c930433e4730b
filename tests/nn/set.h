// One setting of an unbuilt module, by name.
#pragma once

#include <type_traits>

#include "heed/nn/module.h"

namespace heed::test {

template <class T>
class Setter : public SilentDescriber {
 public:
  Setter(std::string name, T value) : name_(std::move(name)), value_(std::move(value)) {}
  void setting(const char* name, bool& value, const About& /*about*/) override { put(name, value); }
  void setting(const char* name, int64_t& value, const About& /*about*/) override {
    put(name, value);
  }
  void setting(const char* name, double& value, const About& /*about*/) override {
    put(name, value);
  }
  void setting(const char* name, std::string& value, const About& /*about*/) override {
    put(name, value);
  }
  bool found = false;

 private:
  template <class U>
  void put(const char* name, U& value) {
    if constexpr (std::is_same_v<T, U>) {
      if (name_ == name) {
        value = value_;
        found = true;
      }
    }
  }
  std::string name_;
  T value_;
};

template <class T>
void set(Module& module, const std::string& name, T value) {
  Setter<T> setter(name, std::move(value));
  module.describe(setter);
  require(setter.found, "test: there is no such setting as {}", name);
}

}  // namespace heed::test
