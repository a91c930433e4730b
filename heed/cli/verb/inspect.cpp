// heed inspect MODEL: what a model file holds. heed inspect --parts: all parts with their formulas.
#include <fmt/core.h>

#include "heed/cli/environment.h"
#include "heed/cli/verbs.h"
#include "heed/config/explain.h"
#include "heed/engine/shelf/catalogues.h"
#include "heed/engine/shelf/place.h"
#include "heed/import/import.h"
#include "heed/model/file/model_file.h"
#include "heed/text/visible.h"

namespace heed {
namespace {

void list(const Listing& kind) {
  fmt::print("{}\n", kind.name);
  for (const Listing::Entry& entry : kind.entries) {
    std::string names = entry.name;
    for (const std::string& alias : entry.aliases) {
      names += " (" + alias + ")";
    }
    fmt::print("  {:<31} {}\n", names, entry.formula);
  }
}

/// The kinds of a part or of a list of parts, "causal + window"; a number as it is.
std::string kinds_in(const Json& value) {
  if (const auto* word = value.get<std::string>()) {
    return *word;
  }
  if (const auto* parts = value.get<Json::Array>()) {
    std::string all;
    for (const Json& part : *parts) {
      all += (all.empty() ? "" : " + ") + kinds_in(part);
    }
    return all;
  }
  if (const auto* table = value.get<Json::Object>()) {
    for (const Json::Member& one : *table) {
      if (one.key == "kind") {
        return kinds_in(one.value);
      }
    }
    return "";
  }
  return value.write();
}

/// "additive, softmax, everywhere" of every attention in the tree, by its path.
void find_attention(const Json& tree, const std::string& path,
                    std::vector<std::pair<std::string, std::string>>& found) {
  const auto* const table = tree.get<Json::Object>();
  if (table == nullptr) {
    return;
  }
  const auto named = [table](const char* key) {
    for (const Json::Member& one : *table) {
      if (one.key == key) {
        return kinds_in(one.value);
      }
    }
    return std::string();
  };
  if (const std::string score = named("score"); !score.empty()) {
    const std::string focus = named("focus");
    const std::string heads = named("heads");
    found.emplace_back(path,
                       fmt::format("{} score, {}, {}{}", score, named("normaliser"),
                                   focus.empty() ? "everywhere" : focus,
                                   heads.empty() || heads == "1" ? "" : ", " + heads + " heads"));
  }
  for (const Json::Member& one : *table) {
    find_attention(one.value, path.empty() ? one.key : path + "." + one.key, found);
  }
}

std::vector<std::pair<std::string, std::string>> attention_of(const TrainedModel& trained) {
  std::vector<std::pair<std::string, std::string>> found;
  find_attention(config_of(*trained.model), "", found);
  return found;
}

void show(const TrainedModel& trained) {
  for (const auto& [key, value] : trained.about) {
    fmt::print("{:<12} {}\n", make_visible(key), make_visible(value));
  }
  fmt::print("{:<12} {}, {}\n", "source", trained.fields.source->kind(),
             trained.fields.source->summary());
  fmt::print("{:<12} {}, {}\n", "target", trained.fields.target->kind(),
             trained.fields.target->summary());
  fmt::print("{:<12} {}\n", "parameters", count_parameters(*trained.model));
  fmt::print("{:<12} {}\n", "stored in", trained.stored);
  for (const auto& [path, sentence] : attention_of(trained)) {
    fmt::print("{:<12} {}: {}\n", "attention", path, sentence);
  }
  if (!trained.search.get<Json::Object>()->empty()) {
    fmt::print("{:<12} {}\n", "search", trained.search.write());
  }
  fmt::print("\n{}\n\n", config_of(*trained.model).write(2));
  for (const NamedParameter& parameter : distinct_parameters_of(*trained.model)) {
    fmt::print("{:<52} {}\n", make_visible(parameter.name), to_string(parameter.tensor->shape()));
  }
}

Json object_of(const Field& field) {
  Json object = Json::object();
  object.set("kind", field.kind());
  object.set("summary", field.summary());
  if (field.has_vocabulary()) {
    object.set("vocabulary", static_cast<int64_t>(field.vocabulary().size()));
  }
  return object;
}

Json object_of(const TrainedModel& trained) {
  Json object = Json::object();
  Json about = Json::object();
  for (const auto& [key, value] : trained.about) {
    about.set(key, value);
  }
  Json attention = Json::object();
  for (const auto& [path, sentence] : attention_of(trained)) {
    attention.set(path, sentence);
  }
  Json parameters = Json::array();
  for (const NamedParameter& parameter : distinct_parameters_of(*trained.model)) {
    Json shape = Json::array();
    for (int axis = 0; axis < parameter.tensor->rank(); ++axis) {
      shape.push(parameter.tensor->size(axis));
    }
    parameters.push(Json::object().set("name", parameter.name).set("shape", std::move(shape)));
  }
  object.set("about", std::move(about));
  object.set("source", object_of(*trained.fields.source));
  object.set("target", object_of(*trained.fields.target));
  object.set("count", count_parameters(*trained.model));
  object.set("stored", trained.stored);
  object.set("attention", std::move(attention));
  object.set("search", trained.search);
  object.set("model", config_of(*trained.model));
  object.set("parameters", std::move(parameters));
  return object;
}

/// One line for each token: its id, a tab, its spelling.
void list_vocabulary(const Field& field, const std::string& side) {
  if (!field.has_vocabulary()) {
    fail(Fault::usage, "inspect: the {} is of the kind {} and has no vocabulary", side,
         field.kind());
  }
  const Vocabulary& vocabulary = field.vocabulary();
  for (size_t id = 0; id < vocabulary.size(); ++id) {
    fmt::print("{}\t{}\n", id, make_visible(vocabulary.token(static_cast<TokenId>(id))));
  }
}

class InspectVerb : public Verb {
 public:
  void options(Options& options) override {
    options.add("model", model_, "a model file, or the name of one that heed models lists")
        .takes("FILE")
        .completes("models");
    options.flag("--json", is_json_, "print one JSON object");
    options
        .add("--vocabulary", vocabulary_,
             "list the tokens of the source or of the target instead, each with its number")
        .check(one_of({"source", "target"}))
        .takes("SIDE");
    options.flag("--parts", lists_parts_, "list every part with its formula, and every verb");
  }
  std::string description() const override {
    return "Shows what a model file holds: where it comes from, what it reads and writes, how "
           "it attends, all settings and the shapes of all parameters. With --parts it lists "
           "everything that a recipe may choose.";
  }
  std::string examples() const override {
    return "  heed inspect dates.safetensors\n"
           "  heed inspect dates.safetensors --json\n"
           "  heed inspect en-zh --vocabulary target\n"
           "  heed inspect --parts\n";
  }
  int run() override {
    if (lists_parts_) {
      for (const Listing& kind : catalogues()) {
        list(kind);
      }
      list(verbs().listing());
      return 0;
    }
    if (model_.empty()) {
      fail(Fault::usage, "inspect: no model is given; name a model file, or ask for --parts");
    }
    if (!vocabulary_.empty() && is_json_) {
      fail(Fault::usage, "inspect: --vocabulary prints lines, not JSON; leave out --json");
    }
    const TrainedModel trained =
        load_any_model(model_shelf().path_of(model_, "inspect"), place_on("cpu"));
    if (!vocabulary_.empty()) {
      const Fields& fields = trained.fields;
      list_vocabulary(vocabulary_ == "source" ? *fields.source : *fields.target, vocabulary_);
    } else if (is_json_) {
      fmt::print("{}\n", object_of(trained).write());
    } else {
      show(trained);
    }
    return 0;
  }

 private:
  std::string model_;
  std::string vocabulary_;
  bool is_json_ = false;
  bool lists_parts_ = false;
};

}  // namespace

std::unique_ptr<Verb> inspect_verb() { return std::make_unique<InspectVerb>(); }

}  // namespace heed
