#include "heed/api/request_options.h"

#include <algorithm>
#include <map>
#include <utility>

#include "heed/base/catalogue.h"
#include "heed/base/error.h"
#include "heed/config/apply.h"
#include "heed/config/explain.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

Json json_of(const SettingValue& value) {
  return std::visit(
      [](const auto& one) {
        if constexpr (std::is_same_v<decltype(one), const std::vector<std::string>&>) {
          Json list = Json::array();
          for (const std::string& text : one) {
            list.push(text);
          }
          return list;
        } else {
          return Json(one);
        }
      },
      value);
}

/// The paths of settings by their names, including those of the search: "beam" → "search.beam".
std::map<std::string, std::string> paths_by_name(AnswerOptions& options) {
  std::map<std::string, std::string> paths;
  for (const SettingHelp& setting : explain(options)) {
    paths[setting.path.substr(setting.path.rfind('.') + 1)] = setting.path;
  }
  return paths;
}

/// The settings as a tree that `apply` reads; an unknown name is an Error that suggests one.
Json tree_of(const std::map<std::string, SettingValue>& settings, AnswerOptions& options) {
  const auto paths = paths_by_name(options);
  Json tree = Json::object();
  Json search = Json::object();
  for (const auto& [name, value] : settings) {
    const auto path = paths.find(name);
    if (path == paths.end()) {
      std::vector<std::string> names;
      for (const auto& known : paths) {
        names.push_back(known.first);
      }
      fail_unknown_name("request", name, names, {});
    }
    (path->second == name ? tree : search).set(name, json_of(value));
  }
  return tree.set("search", search);
}

/// The settings of a request, those that have a member among them. What is given in both ways is
/// refused, because nobody can say which was meant.
std::map<std::string, SettingValue> settings_of(const RequestOptions& asked) {
  std::map<std::string, SettingValue> settings = asked.settings;
  const auto set = [&](const char* name, SettingValue value, bool is_given, const char* member) {
    if (!settings.insert({name, std::move(value)}).second && is_given) {
      fail(Fault::usage, "request: `{}` is in the settings, and options.{} is given; leave out one",
           name, member);
    }
  };
  set("n_best", asked.n_best, asked.n_best != 1, "n_best");
  if (asked.beam) {
    set("beam", *asked.beam, true, "beam");
  }
  set("prefix", asked.prefix, !asked.prefix.empty(), "prefix");
  set("whole", !asked.splits, asked.splits, "splits");
  set("constrain", asked.phrases, !asked.phrases.empty(), "phrases");
  if (settings.at("constrain") != SettingValue(std::vector<std::string>())) {
    const SettingValue constrained = "constrained";
    if (settings.insert({"strategy", constrained}).first->second != constrained) {
      fail(Fault::usage,
           "request: phrases are for the strategy constrained, and the setting `strategy` is "
           "another; leave out one");
    }
  }
  return settings;
}

}  // namespace

AnswerOptions answer_options(const RequestOptions& asked, const Json& wanted) {
  AnswerOptions options;
  apply(options.search, wanted, "search of the model's file");
  apply(options, tree_of(settings_of(asked), options), "request");
  options.search.beam = std::max(options.search.beam, options.search.n_best);
  options.sees = true;  // outputs have their tokens
  options.search.weights = asked.weights;
  return options;
}

void check_texts(const std::vector<std::string>& sources, const AnswerOptions& options,
                 const Field& source) {
  for (size_t i = 0; source.has_tokens() && i < sources.size(); ++i) {
    check_utf8("source " + std::to_string(i + 1), sources[i]);
  }
  check_utf8("prefix", options.prefix);
  for (size_t i = 0; i < options.phrases.size(); ++i) {
    check_utf8("phrase " + std::to_string(i + 1), options.phrases[i]);
  }
}

}  // namespace heed
