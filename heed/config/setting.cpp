#include "heed/config/setting.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "heed/base/catalogue.h"
#include "heed/config/limits.h"

namespace heed {
namespace {

/// A limit as people write it. The largest whole numbers of 64 bits are no doubles.
std::string limit(double number) {
  return number >= most_seed          ? fmt::format("{}", UINT64_MAX)
         : number >= most_signed_seed ? fmt::format("{}", INT64_MAX)
                                      : fmt::format("{}", number);
}

std::string in_range(const std::string& what, const About& about) {
  const bool has_least = std::isfinite(about.least);
  const bool has_most = std::isfinite(about.most);
  if (has_least && has_most) {
    return fmt::format("{} from {} to {}", what, about.least, limit(about.most));
  }
  return has_least  ? fmt::format("{} of at least {}", what, about.least)
         : has_most ? fmt::format("{} of at most {}", what, limit(about.most))
                    : what;
}

bool is_in_range(double number, const About& about) {
  return number >= about.least && number <= about.most;
}

/// A type's name, its allowed values as a text, and how it is read from JSON. `read` returns false
/// where `given` is not a value of the type that `about` allows.
template <class T>
struct Type;

template <>
struct Type<bool> {
  static constexpr const char* name = "bool";
  static std::string allowed(const About& /*about*/) { return "true or false"; }
  static bool read(const Json& given, bool& value, const About& /*about*/) {
    const bool* found = given.get<bool>();
    value = found != nullptr && *found;
    return found != nullptr;
  }
};

template <>
struct Type<int64_t> {
  static constexpr const char* name = "int";
  static std::string allowed(const About& about) { return in_range("a whole number", about); }
  static bool read(const Json& given, int64_t& value, const About& about) {
    const int64_t* found = given.get<int64_t>();
    value = found != nullptr ? *found : 0;
    return found != nullptr && is_in_range(static_cast<double>(value), about);
  }
};

/// For seeds. A Json holds a number above the range of int64_t as a uint64_t.
template <>
struct Type<uint64_t> {
  static constexpr const char* name = "int";
  static std::string allowed(const About& about) { return Type<int64_t>::allowed(about); }
  static bool read(const Json& given, uint64_t& value, const About& about) {
    const int64_t* found = given.get<int64_t>();
    const uint64_t* large = given.get<uint64_t>();
    value = large != nullptr ? *large : found != nullptr ? static_cast<uint64_t>(*found) : 0;
    return (large != nullptr || (found != nullptr && *found >= 0)) &&
           is_in_range(static_cast<double>(value), about);
  }
};

template <>
struct Type<double> {
  static constexpr const char* name = "float";
  static std::string allowed(const About& about) { return in_range("a number", about); }
  static bool read(const Json& given, double& value, const About& about) {
    const int64_t* whole = given.get<int64_t>();
    const double* found = given.get<double>();
    value = whole != nullptr ? static_cast<double>(*whole) : found != nullptr ? *found : NAN;
    return std::isfinite(value) && is_in_range(value, about);
  }
};

/// Null in JSON means that no value is set.
template <>
struct Type<std::optional<double>> {
  static constexpr const char* name = "float";
  static std::string allowed(const About& about) { return Type<double>::allowed(about); }
  static bool read(const Json& given, std::optional<double>& value, const About& about) {
    return given.kind() == Json::Kind::null || Type<double>::read(given, value.emplace(), about);
  }
};

/// "a, b, c"; an empty choice is last: "a, b, c, or \"\"".
std::string choices_listed(std::vector<std::string> choices) {
  const bool may_be_empty = std::erase(choices, "") > 0;
  return fmt::format("{}{}", fmt::join(choices, ", "), may_be_empty ? ", or \"\"" : "");
}

template <>
struct Type<std::string> {
  static constexpr const char* name = "text";
  static std::string allowed(const About& about) {
    return about.choices.empty() ? "text" : fmt::format("one of {}", choices_listed(about.choices));
  }
  static bool read(const Json& given, std::string& value, const About& about) {
    const std::string* found = given.get<std::string>();
    value = found != nullptr ? about.chosen_by(*found) : "";
    const std::vector<std::string>& all = about.choices;
    return found != nullptr &&
           (all.empty() || std::find(all.begin(), all.end(), value) != all.end());
  }
};

/// Reads all items of a list, or a single item; the empty text is an empty list.
template <class T>
bool read_list(const Json& given, std::vector<T>& value, const About& about) {
  const Json::Array* items = given.get<Json::Array>();
  const std::string* word = given.get<std::string>();
  const Json::Array one = {given};
  if (word != nullptr && word->empty()) {
    value.clear();
    return true;
  }
  for (const Json& item : items != nullptr ? *items : one) {
    if (!Type<T>::read(item, value.emplace_back(), about)) {
      return false;
    }
  }
  return true;
}

template <>
struct Type<std::vector<std::string>> {
  static constexpr const char* name = "texts";
  static std::string allowed(const About& about) {
    return about.choices.empty() ? "a list of texts"
                                 : fmt::format("any of {}", fmt::join(about.choices, ", "));
  }
  static bool read(const Json& given, std::vector<std::string>& value, const About& about) {
    return read_list(given, value, about);
  }
};

template <>
struct Type<std::vector<int64_t>> {
  static constexpr const char* name = "ints";
  static std::string allowed(const About& about) {
    return in_range("a list of whole numbers, each", about);
  }
  static bool read(const Json& given, std::vector<int64_t>& value, const About& about) {
    return read_list(given, value, about);
  }
};

template <class T>
Json json_of(const T& value) {
  return value;
}
Json json_of(const std::optional<double>& value) { return value ? Json(*value) : Json(); }
template <class T>
Json json_of(const std::vector<T>& value) {
  Json list = Json::array();
  for (const T& item : value) {
    list.push(item);
  }
  return list;
}

}  // namespace

const std::string& About::chosen_by(const std::string& name) const {
  const auto second = std::find_if(second_names.begin(), second_names.end(),
                                   [&name](const auto& one) { return one.first == name; });
  return second == second_names.end() ? name : second->second;
}

std::vector<std::string> About::all_names() const {
  std::vector<std::string> all = choices;
  for (const auto& [second, name] : second_names) {
    all.push_back(second);
  }
  return all;
}

About name_from(const Listing& catalogue, std::string help) {
  About about{.help = std::move(help)};
  for (const Listing::Entry& entry : catalogue.entries) {
    about.choices.push_back(entry.name);
    for (const std::string& alias : entry.aliases) {
      about.second_names.emplace_back(alias, entry.name);
    }
  }
  return about;
}

template <class T>
const char* SettingOf<T>::type() const {
  return Type<T>::name;
}

template <class T>
Json SettingOf<T>::value() const {
  return json_of(value_);
}

template <class T>
std::string SettingOf<T>::allowed() const {
  return Type<T>::allowed(about());
}

template <class T>
bool SettingOf<T>::assign(const Json& given) {
  T fresh{};
  if (!Type<T>::read(given, fresh, about())) {
    return false;
  }
  value_ = std::move(fresh);
  return true;
}

template class SettingOf<bool>;
template class SettingOf<int64_t>;
template class SettingOf<uint64_t>;
template class SettingOf<double>;
template class SettingOf<std::optional<double>>;
template class SettingOf<std::string>;
template class SettingOf<std::vector<std::string>>;
template class SettingOf<std::vector<int64_t>>;

}  // namespace heed
