// One setting: a value of some type, what it may be, and what it is for.
//
// A walk over settings sees every type through the same four functions, so that no other code
// depends on which types there are. A new type is one more SettingOf in setting.cpp.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heed/base/json.h"

namespace heed {

/// What a setting may be, and what it is for.
struct About {
  std::string help;
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  std::vector<std::string> choices = {};  // of a text; empty: any text
  /// Second names of choices, each with the choice that it is read as.
  std::vector<std::pair<std::string, std::string>> second_names = {};

  /// The choice of this name or second name; the name itself where there is none.
  const std::string& chosen_by(const std::string& name) const;
  /// `choices` and second names: what a wrong name may have been meant as.
  std::vector<std::string> all_names() const;
};

struct Listing;
/// For a text that is the name of a part: its choices are the names that the catalogue lists.
About name_from(const Listing& catalogue, std::string help);

/// A setting, held by reference.
class Setting {
 public:
  explicit Setting(About about) : about_(std::move(about)) {}
  virtual ~Setting() = default;
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

  const About& about() const { return about_; }

  /// bool, int, float, text, texts or ints.
  virtual const char* type() const = 0;
  virtual Json value() const = 0;
  /// "a whole number of at least 1".
  virtual std::string allowed() const = 0;
  /// Takes the value that `given` says; where that is not allowed, changes nothing and returns
  /// false.
  virtual bool assign(const Json& given) = 0;

 private:
  About about_;
};

/// T is bool, int64_t, uint64_t, double, optional<double>, std::string, or a vector of int64_t or
/// std::string. For a list, `about` says what each item may be, and a single item is read as a
/// list of one.
template <class T>
class SettingOf final : public Setting {
 public:
  SettingOf(T& value, About about) : Setting(std::move(about)), value_(value) {}

  const char* type() const override;
  Json value() const override;
  std::string allowed() const override;
  bool assign(const Json& given) override;

 private:
  T& value_;
};

extern template class SettingOf<bool>;
extern template class SettingOf<int64_t>;
extern template class SettingOf<uint64_t>;
extern template class SettingOf<double>;
extern template class SettingOf<std::optional<double>>;
extern template class SettingOf<std::string>;
extern template class SettingOf<std::vector<std::string>>;
extern template class SettingOf<std::vector<int64_t>>;

/// The values of an enum with the names that people write.
template <class Enum>
using Names = std::vector<std::pair<std::string, Enum>>;

/// An enum, which people see as a text with these choices.
template <class Enum>
class NamedSetting final : public Setting {
 public:
  NamedSetting(Enum& value, const Names<Enum>& names, About about)
      : Setting(with_choices(std::move(about), names)), value_(value), names_(names) {}

  const char* type() const override { return "text"; }
  Json value() const override {
    for (const auto& [name, value] : names_) {
      if (value == value_) {
        return name;
      }
    }
    return Json();
  }
  std::string allowed() const override {
    std::string text;
    return SettingOf<std::string>(text, about()).allowed();
  }
  bool assign(const Json& given) override {
    const std::string* word = given.get<std::string>();
    for (const auto& [name, value] : names_) {
      if (word != nullptr && *word == name) {
        value_ = value;
        return true;
      }
    }
    return false;
  }

 private:
  static About with_choices(About about, const Names<Enum>& names) {
    for (const auto& [name, value] : names) {
      about.choices.push_back(name);
    }
    return about;
  }

  Enum& value_;
  Names<Enum> names_;
};

}  // namespace heed
