#include "heed/cli/setting_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <string_view>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/suggest.h"

namespace heed {
namespace {

/// Other names of settings' options, older ones among them: the one list.
constexpr std::pair<std::string_view, const char*> other_names[] = {
    {"beam", "-b"},
    {"length_norm", "--normalise"},
    {"length_norm", "--normalize"},
    {"tokenize", "--tokenise"},
    {"color", "--colour"},
};

using UseSetting = std::function<void(const std::string& name, Setting& setting)>;

/// Calls a function for every setting, including those of children.
class SettingWalk : public Describer {
 public:
  explicit SettingWalk(UseSetting use) : use_(std::move(use)) {}
  void setting(const char* name, Setting& setting) override { use_(name, setting); }
  void child(const std::string& /*name*/, Described& child) override { child.describe(*this); }

 private:
  UseSetting use_;
};

void each_setting(Described& described, const UseSetting& use) {
  SettingWalk walk(use);
  described.describe(walk);
}

template <class Number>
Json number_or_text(const std::string& word) {
  Number number{};
  const char* end = word.data() + word.size();
  const auto [stop, fault] = std::from_chars(word.data(), end, number);
  return fault == std::errc() && stop == end ? Json(number) : Json(word);
}

/// A number above the range of int64_t is a uint64_t, as in every Json.
Json whole_or_text(const std::string& word) {
  Json number = number_or_text<int64_t>(word);
  return number.get<int64_t>() != nullptr ? number : number_or_text<uint64_t>(word);
}

/// The word as a value of the setting's type. A word that is no such value stays a text, which the
/// setting then refuses.
Json value_of(const Setting& setting, const std::string& word) {
  const std::string type = setting.type();
  if (type == "bool") {
    return true;
  }
  if (type == "texts" || type == "ints") {
    Json all = setting.value();
    all.push(type == "ints" ? whole_or_text(word) : Json(word));
    return all;
  }
  return type == "int"     ? whole_or_text(word)
         : type == "float" ? number_or_text<double>(word)
                           : Json(word);
}

void give(Described& described, const std::string& wanted, const std::string& word) {
  each_setting(described, [&](const std::string& name, Setting& setting) {
    if (name == wanted && !setting.assign(value_of(setting, word))) {
      const std::vector<std::string> names = setting.about().all_names();
      fail(Fault::usage, "{}",
           names.empty() ? fmt::format("must be {}, not \"{}\"", setting.allowed(), word)
                         : fmt::format("unknown \"{}\"; choose {}{}", word, setting.allowed(),
                                       did_you_mean(word, names)));
    }
  });
}

/// The name of its value in help; empty for a flag.
std::string value_name(const Setting& setting) {
  const std::string type = setting.type();
  return type == "bool"                    ? ""
         : type == "int"                   ? "N"
         : type == "ints"                  ? "N,…"
         : type == "float"                 ? "X"
         : setting.about().choices.empty() ? "TEXT"
                                           : "NAME";
}

/// The present value as a user would write it.
std::string written(const Setting& setting) {
  const Json value = setting.value();
  if (const std::string* text = value.get<std::string>()) {
    return *text;
  }
  if (const double* number = value.get<double>()) {
    return fmt::format("{}", *number);
  }
  return value.get<int64_t>() != nullptr ? value.write() : "";
}

std::string option_name(std::string setting) {
  std::replace(setting.begin(), setting.end(), '_', '-');
  return "--" + setting;
}

std::string option_for(std::string_view setting) {
  std::string name = "--" + std::string(setting);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

bool has(const Options& options, const std::string& name) {
  return std::any_of(options.all().begin(), options.all().end(), [&name](const Option& option) {
    return std::find(option.names().begin(), option.names().end(), name) != option.names().end();
  });
}

}  // namespace

SettingOptions::SettingOptions(Options& options, Described& described) {
  each_setting(described, [&](const std::string& name, Setting& setting) {
    Option& option =
        options.add(option_name(name), value_name(setting), setting.about().help,
                    [&described, name](const std::string& word) { give(described, name, word); });
    option.choose_from(setting.about().choices).defaults_to(written(setting));
    const std::string type = setting.type();
    if (type == "texts" || type == "ints") {
      option.as_list();
    }
    if (type == "ints") {
      option.split_at(',');
    }
    for (const auto& [of, other] : other_names) {
      if (of == name) {
        option.also(other);
      }
    }
    by_name_[name] = &option;
  });
}

std::vector<std::string> SettingOptions::names() const {
  std::vector<std::string> all;
  for (const auto& [name, option] : by_name_) {
    all.push_back(name);
  }
  return all;
}

std::string naming_options(std::string_view message, const Options& options) {
  std::string out;
  for (std::size_t at = 0; at < message.size();) {
    const std::size_t begin = std::min(message.find('`', at), message.size());
    const std::size_t end = message.find('`', begin + 1);
    out += message.substr(at, begin - at);
    if (begin == message.size() || end == std::string_view::npos) {
      return out += message.substr(begin);
    }
    const std::string option = option_for(message.substr(begin + 1, end - begin - 1));
    if (!has(options, option)) {
      out += message[begin];
      at = begin + 1;
      continue;
    }
    out += option;
    at = end + 1;
  }
  return out;
}

}  // namespace heed
