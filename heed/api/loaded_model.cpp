#include "heed/api/loaded_model.h"

#include <algorithm>

#include "heed/api/held_model.h"
#include "heed/base/catalogue.h"
#include "heed/base/error.h"
#include "heed/config/apply.h"
#include "heed/config/explain.h"
#include "heed/engine/scoring.h"
#include "heed/engine/translation.h"

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
std::map<std::string, std::string> paths_by_name(TranslateOptions& options) {
  std::map<std::string, std::string> paths;
  for (const SettingHelp& setting : explain(options)) {
    paths[setting.path.substr(setting.path.rfind('.') + 1)] = setting.path;
  }
  return paths;
}

/// The settings as a tree that `apply` reads; an unknown name is an Error that suggests one.
Json tree_of(const std::map<std::string, SettingValue>& settings, TranslateOptions& options) {
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

/// Settings that are not asked for are those that the model wants.
TranslateOptions options_of(const Request& request, const Json& wanted) {
  const RequestOptions& asked = request.options;
  std::map<std::string, SettingValue> settings = asked.settings;
  settings.insert({"n_best", asked.n_best});
  if (asked.beam) {
    settings.insert({"beam", *asked.beam});
  }
  if (!asked.phrases.empty()) {
    settings.insert({"strategy", "constrained"});
  }
  TranslateOptions options;
  apply(options.search, wanted, "search of the model's file");
  apply(options, tree_of(settings, options), "request");
  options.search.beam = std::max(options.search.beam, options.search.n_best);
  options.search.weights = asked.weights;
  options.is_whole = !asked.splits;
  options.prefix = asked.prefix;
  options.phrases = asked.phrases;
  options.is_cancelled = [&request] {
    return request.stop.stop_requested() ||
           (request.deadline && std::chrono::steady_clock::now() >= *request.deadline);
  };
  return options;
}

Output output_of(Translation& translation) {
  return {std::move(translation.text),   translation.score,
          translation.log_probability,   std::move(translation.source),
          std::move(translation.target), translation.ended,
          std::move(translation.weights)};
}

}  // namespace

std::vector<Answer> LoadedModel::translate(const Request& request) const {
  return translate(request, {});
}

std::vector<Answer> LoadedModel::translate(const Request& request, const Companions& with) const {
  const UsePool use(held_->core->pool);
  const auto of_this_engine = [this](const LoadedModel& other) {
    if (other.held_->core != held_->core) {
      fail(Fault::usage,
           "request: the language model belongs to another engine; load it with this one");
    }
    return &other.held_->trained;
  };
  std::vector<const TrainedModel*> models = {&held_->trained};
  std::vector<std::string> names = {"the model"};
  for (const LoadedModel& other : with.ensemble) {
    models.push_back(of_this_engine(other));
    names.push_back("number " + std::to_string(models.size()) + " of the ensemble");
  }
  check_same_vocabularies(models, names);
  TranslateOptions options = options_of(request, held_->trained.search);
  if (with.language_model) {
    const TrainedModel& language = *of_this_engine(*with.language_model);
    check_language_model(language, held_->trained, "request: the language model");
    options.search.language_model = language.model.get();
  }
  std::vector<Answer> answers;
  for (auto& found : heed::translate(models, request.texts, options)) {
    Answer& answer = answers.emplace_back();
    answer.warnings = std::move(found.front().warnings);
    for (Translation& one : found) {
      answer.outputs.push_back(output_of(one));
    }
  }
  return answers;
}

Output LoadedModel::align(const std::string& source, const std::string& target) const {
  const UsePool use(held_->core->pool);
  Translation aligned = heed::align(held_->trained, source, target, {});
  return output_of(aligned);
}

double LoadedModel::log_probability(const std::string& source, const std::string& target) const {
  const UsePool use(held_->core->pool);
  const Example pair{source, target};
  return score_pairs(held_->trained, std::span(&pair, 1)).front().log_probability;
}

std::map<std::string, std::string> LoadedModel::about() const { return held_->trained.about; }

int64_t LoadedModel::parameters() const { return count_parameters(*held_->trained.model); }

}  // namespace heed
