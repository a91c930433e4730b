#include "heed/base/json_reader.h"

#include <fmt/core.h>

#include <algorithm>

#include "heed/base/suggest.h"

namespace heed {
namespace {

std::string shown(const Json& value) {
  switch (value.kind()) {
    case Json::Kind::array:
      return "an array";
    case Json::Kind::object:
      return "an object";
    case Json::Kind::text: {
      constexpr std::size_t most = 60;
      const std::string& text = *value.get<std::string>();
      return text.size() <= most ? value.write() : Json(text.substr(0, most) + "...").write();
    }
    default:
      return value.write();
  }
}

/// Whether `to` lies somewhere in `from`; if so, `path` is the way there.
bool find_path(const Json& from, const Json* to, std::string& path) {
  if (&from == to) {
    return true;
  }
  if (const auto* items = from.get<Json::Array>()) {
    for (std::size_t i = 0; i < items->size(); ++i) {
      if (find_path((*items)[i], to, path)) {
        const bool is_behind = !path.empty() && path.front() != '[';
        path.insert(0, fmt::format("[{}]{}", i, is_behind ? "." : ""));
        return true;
      }
    }
  }
  if (const auto* members = from.get<Json::Object>()) {
    for (const Json::Member& member : *members) {
      if (find_path(member.value, to, path)) {
        const bool is_behind = !path.empty() && path.front() != '[';
        path.insert(0, member.key + (is_behind ? "." : ""));
        return true;
      }
    }
  }
  return false;
}

}  // namespace

std::string JsonReader::path() const {
  std::string path;
  find_path(*root_, value_, path);
  return path;
}

std::string JsonReader::where() const {
  const std::string place = path();
  return place.empty() ? *who_ : fmt::format("{}: {}", *who_, place);
}

void JsonReader::refuse(std::string_view needs) const {
  fail(fault_, "{0}: must be {2}, not {1}", where(), shown(*value_), needs);
}

bool JsonReader::boolean() const {
  const bool* value = value_->get<bool>();
  if (value == nullptr) {
    refuse("true or false");
  }
  return *value;
}

std::int64_t JsonReader::integer(std::int64_t least, std::int64_t most) const {
  const auto* value = value_->get<std::int64_t>();
  if (value == nullptr || *value < least || *value > most) {
    refuse(fmt::format("a whole number from {} to {}", least, most));
  }
  return *value;
}

std::uint64_t JsonReader::natural(std::uint64_t most) const {
  const auto* large = value_->get<std::uint64_t>();
  const auto* small = value_->get<std::int64_t>();
  if (large != nullptr && *large <= most) {
    return *large;
  }
  if (small == nullptr || *small < 0 || static_cast<std::uint64_t>(*small) > most) {
    refuse(fmt::format("a whole number from 0 to {}", most));
  }
  return static_cast<std::uint64_t>(*small);
}

double JsonReader::number(double least, double most) const {
  double value = 0;
  if (const auto* real = value_->get<double>()) {
    value = *real;
  } else if (const auto* small = value_->get<std::int64_t>()) {
    value = static_cast<double>(*small);
  } else if (const auto* large = value_->get<std::uint64_t>()) {
    value = static_cast<double>(*large);
  } else {
    refuse("a number");
  }
  if (!(value >= least && value <= most)) {
    refuse(fmt::format("a number from {} to {}", least, most));
  }
  return value;
}

const std::string& JsonReader::text() const {
  const auto* value = value_->get<std::string>();
  if (value == nullptr) {
    refuse("a text");
  }
  return *value;
}

const Json::Object& JsonReader::object() const {
  const auto* members = value_->get<Json::Object>();
  if (members == nullptr) {
    refuse("an object");
  }
  return *members;
}

std::size_t JsonReader::size() const {
  if (const auto* items = value_->get<Json::Array>()) {
    return items->size();
  }
  if (const auto* members = value_->get<Json::Object>()) {
    return members->size();
  }
  refuse("an array or an object");
}

JsonReader JsonReader::at(std::size_t index) const {
  const auto* items = value_->get<Json::Array>();
  if (items == nullptr) {
    refuse("an array");
  }
  if (index >= items->size()) {
    fail(fault_, "{}: it has {} items, but must have at least {}", where(), items->size(),
         index + 1);
  }
  return {*this, (*items)[index]};
}

std::optional<JsonReader> JsonReader::find(std::string_view key) const {
  for (const Json::Member& member : object()) {
    if (member.key == key) {
      return JsonReader(*this, member.value);
    }
  }
  return std::nullopt;
}

JsonReader JsonReader::at(std::string_view key) const {
  auto found = find(key);
  if (!found) {
    fail(fault_, "{}: \"{}\" is missing; add it", where(), key);
  }
  return *std::move(found);
}

std::vector<JsonReader> JsonReader::items() const {
  const auto* items = value_->get<Json::Array>();
  if (items == nullptr) {
    refuse("an array");
  }
  std::vector<JsonReader> all;
  all.reserve(items->size());
  for (std::size_t i = 0; i < items->size(); ++i) {
    all.push_back(at(i));
  }
  return all;
}

std::vector<JsonReader::Member> JsonReader::members() const {
  std::vector<Member> all;
  all.reserve(object().size());
  for (const Json::Member& member : object()) {
    all.push_back({member.key, JsonReader(*this, member.value)});
  }
  return all;
}

void JsonReader::allow_only(std::initializer_list<std::string_view> keys) const {
  for (const Json::Member& member : object()) {
    if (std::find(keys.begin(), keys.end(), member.key) == keys.end()) {
      const std::vector<std::string> known(keys.begin(), keys.end());
      std::string listed;
      for (const std::string& key : known) {
        listed += listed.empty() ? key : ", " + key;
      }
      fail(fault_, "{}: unknown key {}; choose one of {}{}", where(), shown(Json(member.key)),
           listed, did_you_mean(member.key, known));
    }
  }
}

}  // namespace heed
