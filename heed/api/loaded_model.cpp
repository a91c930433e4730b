#include "heed/api/loaded_model.h"

#include <algorithm>

#include "heed/api/held_model.h"
#include "heed/base/catalogue.h"
#include "heed/base/error.h"
#include "heed/config/apply.h"
#include "heed/config/explain.h"
#include "heed/engine/answer/answer.h"
#include "heed/engine/answer/scoring.h"
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

/// Settings that are not asked for are those that the model wants.
AnswerOptions options_of(const Request& request, const Json& wanted) {
  const RequestOptions& asked = request.options;
  AnswerOptions options;
  apply(options.search, wanted, "search of the model's file");
  apply(options, tree_of(settings_of(asked), options), "request");
  options.search.beam = std::max(options.search.beam, options.search.n_best);
  options.sees = true;  // outputs have their tokens
  options.search.weights = asked.weights;
  options.is_cancelled = [&request] {
    return request.stop.stop_requested() ||
           (request.deadline && std::chrono::steady_clock::now() >= *request.deadline);
  };
  return options;
}

/// Texts that are not UTF-8 are refused here, where their place in the request is known; a prefix and phrases may come from its
/// members or its settings.
void check_texts(const Request& request, const AnswerOptions& options, const Field& source) {
  for (size_t i = 0; source.has_tokens() && i < request.sources.size(); ++i) {
    check_utf8("source " + std::to_string(i + 1), request.sources[i]);
  }
  check_utf8("prefix", options.prefix);
  for (size_t i = 0; i < options.phrases.size(); ++i) {
    check_utf8("phrase " + std::to_string(i + 1), options.phrases[i]);
  }
}

void check_pair(const Field& field, const std::string& source, const std::string& target) {
  if (field.has_tokens()) {
    check_utf8("source", source);
  }
  check_utf8("target", target);
}

Output output_of(Reply& reply) {
  Output out;
  out.text = std::move(reply.text);
  out.score = reply.score;
  out.log_probability = reply.log_probability;
  out.ended = reply.ended;
  Seen seen = reply.seen ? std::move(*reply.seen) : Seen();
  out.source = std::move(seen.columns);
  out.target = std::move(seen.rows);
  for (size_t i = 0; i < seen.weights.rows(); ++i) {
    const auto row = seen.weights.row(i);
    out.weights.emplace_back(row.begin(), row.end());
  }
  return out;
}

}  // namespace

std::vector<Answer> LoadedModel::translate(const Request& request) const {
  return translate(request, {});
}

std::vector<Answer> LoadedModel::translate(const Request& request, const Companions& with) const {
  const UsePool use(held_->core->pool);
  const auto of_this_engine = [this](const LoadedModel& other, const std::string& name) {
    if (other.held_->core != held_->core) {
      fail(Fault::usage, "request: {} belongs to another engine; load it with this one", name);
    }
    return &other.held_->trained;
  };
  std::vector<const TrainedModel*> models = {&held_->trained};
  std::vector<std::string> names = {"the model"};
  for (const LoadedModel& other : with.ensemble) {
    names.push_back("number " + std::to_string(models.size() + 1) + " of the ensemble");
    models.push_back(of_this_engine(other, names.back()));
  }
  check_same_vocabularies(models, names);
  AnswerOptions options = options_of(request, held_->trained.search);
  check_texts(request, options, *held_->trained.fields.source);
  if (with.language_model) {
    const TrainedModel& language = *of_this_engine(*with.language_model, "the language model");
    check_language_model(language, held_->trained, "request: the language model");
    options.search.language_model = language.model.get();
  }
  std::vector<Source> sources;
  for (const std::string& bytes : request.sources) {
    sources.push_back(Source::of_bytes(bytes));
  }
  std::vector<Answer> answers;
  for (Replies& found : answer(models, sources, options)) {
    Answer& one = answers.emplace_back();
    one.warnings = std::move(found.warnings);
    for (Reply& reply : found.best) {
      one.outputs.push_back(output_of(reply));
    }
  }
  return answers;
}

Output LoadedModel::align(const std::string& source, const std::string& target) const {
  const UsePool use(held_->core->pool);
  check_pair(*held_->trained.fields.source, source, target);
  Reply aligned = heed::align(held_->trained, Source::of_bytes(source), target, {});
  return output_of(aligned);
}

double LoadedModel::log_probability(const std::string& source, const std::string& target) const {
  const UsePool use(held_->core->pool);
  check_pair(*held_->trained.fields.source, source, target);
  return score_pair(held_->trained, Source::of_bytes(source), target).log_probability;
}

std::map<std::string, std::string> LoadedModel::about() const { return held_->trained.about; }

int64_t LoadedModel::parameters() const { return count_parameters(*held_->trained.model); }

}  // namespace heed
