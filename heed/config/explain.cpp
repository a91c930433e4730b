#include "heed/config/explain.h"

#include <fmt/format.h>

#include <cmath>

namespace heed {
namespace {

class Reader : public Describer {
 public:
  Json read_out(Described& described) {
    tree_ = Json::object();
    described.describe(*this);
    return std::move(tree_);
  }
  void setting(const char* name, Setting& setting) override { tree_.set(name, setting.value()); }
  void choice(const char* name, const Choice& choice) override {
    Json list = Json::array();
    for (Described* part : choice.parts()) {
      list.push(of_part(*part));
    }
    const Json::Array& parts = *list.get<Json::Array>();
    if (choice.is_list) {
      tree_.set(name, list);
    } else if (!parts.empty()) {
      tree_.set(name, parts.front());
    }
  }
  void table(const char* name, const PartTable& table) override {
    Json parts = Json::object();
    for (const std::string& key : table.names()) {
      parts.set(key, of_part(*table.entry(key).parts().front()));
    }
    if (!parts.get<Json::Object>()->empty()) {
      tree_.set(name, parts);
    }
  }
  void child(const std::string& name, Described& child) override {
    const Json below = config_of(child);
    if (!below.get<Json::Object>()->empty()) {
      tree_.set(name, below);
    }
  }

 private:
  static Json of_part(Described& part) {
    const Json settings = config_of(part);
    if (settings.get<Json::Object>()->empty()) {
      return part.kind();
    }
    Json table = Json::object();
    table.set("kind", part.kind());
    for (const Json::Member& member : *settings.get<Json::Object>()) {
      table.append(member.key, member.value);
    }
    return table;
  }

  Json tree_;
};

class Explainer : public Describer {
 public:
  Explainer(std::string prefix, std::vector<SettingHelp>& lines)
      : prefix_(std::move(prefix)), lines_(lines) {}

  void setting(const char* name, Setting& setting) override {
    lines_.push_back({prefix_ + name, setting.type(), shown(setting.value()), setting.allowed(),
                      setting.about().help});
  }
  void choice(const char* name, const Choice& choice) override {
    const std::vector<Described*> parts = choice.parts();
    Json kinds = Json::array();
    for (const Described* part : parts) {
      kinds.push(part->kind());
    }
    const Json one = parts.empty() ? Json() : Json(parts.front()->kind());
    lines_.push_back({prefix_ + name, choice.is_list ? "parts" : "part",
                      shown(choice.is_list ? kinds : one),
                      fmt::format("{} {}", choice.is_list ? "any number of" : "one of",
                                  fmt::join(choice.names, ", ")),
                      choice.help});
    for (size_t i = 0; i < parts.size(); ++i) {
      child(choice.is_list ? fmt::format("{}[{}]", name, i) : name, *parts[i]);
    }
  }
  void table(const char* name, const PartTable& table) override {
    lines_.push_back({prefix_ + name, "parts", "{}",
                      fmt::format("a name for each, one of {}", fmt::join(table.kinds, ", ")),
                      table.help});
    Describer::table(name, table);
  }
  void child(const std::string& name, Described& child) override {
    Explainer below(prefix_ + name + ".", lines_);
    child.describe(below);
  }

 private:
  std::string prefix_;
  std::vector<SettingHelp>& lines_;
};

}  // namespace

Json config_of(Described& described) { return Reader().read_out(described); }

std::vector<SettingHelp> explain(Described& described) {
  std::vector<SettingHelp> lines;
  Explainer explainer("", lines);
  described.describe(explainer);
  return lines;
}

std::string shown(const Json& value) {
  constexpr size_t most = 60;
  const double* number = value.get<double>();
  const std::string text =
      number != nullptr && !std::isfinite(*number) ? fmt::format("{}", *number) : value.write();
  return text.size() <= most ? text : text.substr(0, most) + "…";
}

}  // namespace heed
