#include "heed/serve/request_fields.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <utility>

#include "heed/config/apply.h"

namespace heed {
namespace {

using UseField = std::function<void(const std::string& name, Setting& setting)>;

class FieldWalk : public Describer {
 public:
  explicit FieldWalk(UseField use) : use_(std::move(use)) {}
  using Describer::setting;
  void setting(const char* name, Setting& setting) override { use_(name, setting); }

 private:
  UseField use_;
};

void each_field(Described& described, const UseField& use) {
  FieldWalk walk(use);
  described.describe(walk);
}

template <class Number>
Json number_in(const std::string& word) {
  Number number{};
  const char* const end = word.data() + word.size();
  const auto [stop, fault] = std::from_chars(word.data(), end, number);
  return fault == std::errc() && stop == end && !word.empty() ? Json(number) : Json(word);
}

Json typed(const std::string& type, const std::string& word) {
  if (type == "bool" && (word == "true" || word == "false" || word == "1" || word == "0")) {
    return word == "true" || word == "1";
  }
  if (type == "int" || type == "ints") {
    Json number = number_in<int64_t>(word);
    return number.get<int64_t>() != nullptr ? number : number_in<uint64_t>(word);
  }
  return type == "float" ? number_in<double>(word) : Json(word);
}

/// A setting whose largest value is lower than its own.
class CappedSetting : public Setting {
 public:
  CappedSetting(Setting& of, double most) : Setting(capped(of.about(), most)), of_(&of) {}
  const char* type() const override { return of_->type(); }
  Json value() const override { return of_->value(); }
  std::string allowed() const override {
    int64_t none = 0;
    return SettingOf<int64_t>(none, about()).allowed();
  }
  bool assign(const Json& given) override {
    const int64_t* const number = given.get<int64_t>();
    return (number == nullptr || static_cast<double>(*number) <= about().most) &&
           of_->assign(given);
  }

 private:
  static About capped(About about, double most) {
    about.most = std::min(about.most, most);
    return about;
  }
  Setting* of_;
};

Json schema_of(const Setting& setting) {
  const std::string type = setting.type();
  if (type == "vectors") {
    Json vector = Json::object().set("type", "array");
    vector.set("items", Json::object().set("type", "number"));
    Json schema = Json::object().set("type", "array").set("items", std::move(vector));
    return schema.set("description", in_field_names(setting.about().help));
  }
  const bool is_list = type == "texts" || type == "ints";
  Json item = Json::object();
  item.set("type", type == "bool"                    ? "boolean"
                   : type == "int" || type == "ints" ? "integer"
                   : type == "float"                 ? "number"
                                                     : "string");
  if (type == "int" || type == "ints" || type == "float") {
    if (std::isfinite(setting.about().least)) {
      item.set("minimum", setting.about().least);
    }
    if (std::isfinite(setting.about().most)) {
      item.set("maximum", setting.about().most);
    }
  }
  if (!setting.about().choices.empty()) {
    Json choices = Json::array();
    for (const std::string& choice : setting.about().choices) {
      choices.push(choice);
    }
    item.set("enum", std::move(choices));
  }
  Json schema = Json::object();
  if (is_list) {
    Json either = Json::array();
    either.push(item).push(Json::object().set("type", "array").set("items", item));
    schema.set("oneOf", std::move(either));
  } else {
    schema = std::move(item);
  }
  if (setting.value().kind() != Json::Kind::null) {
    schema.set("default", setting.value());
  }
  return schema.set("description", in_field_names(setting.about().help));
}

}  // namespace

Json tree_of(const HttpParameters& parameters, Described& described) {
  Json tree = Json::object();
  std::vector<std::string> known;
  each_field(described, [&](const std::string& name, const Setting& setting) {
    known.push_back(name);
    const std::string type = setting.type();
    Json list = Json::array();
    for (const auto& [given, word] : parameters) {
      if (given == name) {
        list.push(typed(type, word));
      }
    }
    const Json::Array& values = *list.get<Json::Array>();
    if (values.size() == 1) {
      tree.set(name, values.front());
    } else if (!values.empty()) {
      tree.set(name, std::move(list));
    }
  });
  for (const auto& [given, word] : parameters) {
    if (std::find(known.begin(), known.end(), given) == known.end()) {
      tree.set(given, word);  // is refused with a suggestion
    }
  }
  return tree;
}

void refuse_field(std::string path, std::string message) {
  throw SettingError(
      std::vector<SettingFault>{{.path = std::move(path), .message = std::move(message)}});
}

std::vector<FieldHelp> fields_of(Described& described) {
  std::vector<FieldHelp> fields;
  each_field(described, [&](const std::string& name, const Setting& setting) {
    fields.push_back({name, schema_of(setting)});
  });
  return fields;
}

std::string in_field_names(const std::string& help) {
  std::string text;
  for (std::size_t i = 0; i < help.size(); ++i) {
    const bool begins = help.compare(i, 2, "--") == 0 && i + 2 < help.size() &&
                        help[i + 2] >= 'a' && help[i + 2] <= 'z' &&
                        (i == 0 || help[i - 1] == ' ' || help[i - 1] == '(');
    if (!begins) {
      text.push_back(help[i]);
      continue;
    }
    std::string name;
    for (i += 2; i < help.size() && ((help[i] >= 'a' && help[i] <= 'z') || help[i] == '-'); ++i) {
      name.push_back(help[i] == '-' ? '_' : help[i]);
    }
    --i;
    text += "`" + name + "`";
  }
  return text;
}

void FlatDescriber::setting(const char* name, Setting& setting) {
  if (std::find(left_out_.begin(), left_out_.end(), name) != left_out_.end()) {
    return;
  }
  const auto cap =
      std::find_if(caps_.begin(), caps_.end(), [name](const Cap& one) { return one.name == name; });
  if (cap == caps_.end()) {
    to_->setting(name, setting);
    return;
  }
  CappedSetting lower(setting, static_cast<double>(cap->most));
  to_->setting(name, lower);
}

void FlatDescriber::child(const std::string& /*name*/, Described& child) { child.describe(*this); }

}  // namespace heed
