#include "heed/engine/recipe.h"

#include "heed/base/json_reader.h"
#include "heed/config/apply.h"
#include "heed/config/explain.h"
#include "heed/engine/model_shelf.h"
#include "heed/engine/place.h"
#include "heed/engine/translation.h"
#include "heed/engine/words.h"
#include "heed/see/png.h"
#include "heed/see/svg.h"

namespace heed {

Recipe::Recipe() : model(std::make_unique<Model>()) {}

void ModelAbout::describe(Describer& d) {
  d.setting("languages", languages_, {"what it reads and writes, \"en-zh\""});
  d.setting("domain", domain_, {"what texts it is for"});
  d.setting("licence", licence_, {"what its data allow, and whom to name"});
}

std::map<std::string, std::string> ModelAbout::words() const {
  std::map<std::string, std::string> all = {
      {"languages", languages_}, {"domain", domain_}, {"licence", licence_}};
  std::erase_if(all, [](const auto& entry) { return entry.second.empty(); });
  return all;
}

void configure(Recipe& recipe, const Json& tree) {
  Json plain = Json::object();
  const JsonReader reader(tree, "recipe", Fault::usage);
  const auto training = tree.kind() == Json::Kind::object ? reader.find("training") : std::nullopt;
  const auto init =
      training && training->kind() == Json::Kind::object ? training->find("init") : std::nullopt;
  if (init && init->kind() == Json::Kind::text && !init->text().empty()) {
    const std::string path = model_path(init->text(), "training.init");
    const Translator from = load_model(path, place_on("reference"));
    apply(*recipe.model, config_of(*from.model), "model");
  }
  apply(recipe, tree);
}

void Recipe::describe(Describer& d) {
  d.child("about", about);
  d.child("data", data);
  d.child("model", *model);
  d.child("training", training);
}

namespace {

/// Settings that contradict each other show here: they are the recipe's fault.
void build(Model& model, const VocabularySizes& sizes, Init& init) {
  try {
    model.build(sizes, init);
  } catch (const Error& error) {
    fail(Fault::usage, "model: {}", error.what());
  }
}

void say_what_there_is(const std::string& name, const Corpora& corpora, Translator& translator) {
  for (const auto& [corpus, what] :
       {std::pair(&corpora.train, "training"), std::pair(&corpora.valid, "validation")}) {
    if (corpus->left_out().count() > 0) {
      log_info("{}: left out of the {} data: {}", name, what, corpus->left_out().sentence());
    }
  }
  const auto sentences = static_cast<int64_t>(corpora.valid.rows().size());
  log_info(
      "{}: {} training and {} validation pairs{}, {} source and {} target tokens, {} parameters",
      name, corpora.train.size(), corpora.valid.size(),
      sentences < corpora.valid.size() ? fmt::format(" of {} sentences", sentences) : "",
      translator.source->size(), translator.target->size(), count_parameters(*translator.model));
}

/// What a run works on; it stays where it is, since others point into it.
struct Work {
  Work() = default;
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  Corpora corpora;
  Translator translator;
};

/// to ← from, parameter by parameter; the first that does not fit is named.
void start_from(Model& from, Model& to, const std::string& path) {
  const auto refuse = [&](const std::string& what) {
    const std::vector<std::string> all = differences(config_of(from), config_of(to), "model");
    fail(Fault::usage,
         "training.init: {}: {}{}; leave [model] as the model has it, or start from another", path,
         what, all.empty() ? "" : fmt::format(" ({})", all.front()));
  };
  std::map<std::string, const Tensor*> known;
  for (const NamedParameter& parameter : parameters_of(from)) {
    known[parameter.name] = parameter.tensor;
  }
  for (const NamedParameter& parameter : distinct_parameters_of(to)) {
    const auto found = known.find(parameter.name);
    if (found == known.end()) {
      refuse(fmt::format("saw no {}, which this recipe's model has", parameter.name));
    }
    if (found->second->shape() != parameter.tensor->shape()) {
      refuse(fmt::format("saw {} of shape {}, needs {}", parameter.name, found->second->shape(),
                         parameter.tensor->shape()));
    }
    copy_values(*found->second, *parameter.tensor);
  }
}

/// With the vocabularies of the run so far, so that subwords are not learnt again; else with those
/// of the model it starts from, else with its own. What memory does not hold waits in `folder`.
Corpora load_data(const DataPlan& data, const RecipeRun& run, const Translator& from,
                  const std::string& folder) {
  if (const auto found = Checkpoints(run.folder + "/checkpoints", 2).newest()) {
    log_detail("{}: with the vocabularies of {}", run.name, found->path);
    return data.load(vocabularies_from(found->file, found->path), folder);
  }
  return from.source ? data.load(VocabularyPair{from.source, from.target}, folder)
                     : data.load(folder);
}

void set_out(Work& work, Recipe& recipe, const RecipeRun& run, const std::string& folder) {
  const Place place = place_on(run.backend);
  const std::string& init = recipe.training.init;
  const std::string path = init.empty() ? "" : model_path(init, "training.init");
  Translator from;
  if (!path.empty()) {
    from = load_model(path, place);
    log_info("{}: starting from {}, with its vocabularies", run.name, path);
  }
  work.corpora = load_data(recipe.data, run, from, folder);
  Translator& translator = work.translator;
  translator.model = std::move(recipe.model);
  translator.source = work.corpora.vocabularies.source;
  translator.target = work.corpora.vocabularies.target;
  translator.about = recipe.about.words();
  translator.about["recipe"] = run.name;
  Init weights(place, static_cast<uint64_t>(recipe.training.seed));
  build(*translator.model,
        {static_cast<int64_t>(translator.source->size()),
         static_cast<int64_t>(translator.target->size())},
        weights);
  if (!path.empty()) {
    start_from(*from.model, *translator.model, path);
    translator.about["init"] = init;
  }
  say_what_there_is(run.name, work.corpora, translator);
}

TranslateOptions searching(const Training& training) {
  TranslateOptions how;
  how.search.beam = training.validate_beam;
  return how;
}

Translate translating(const Training& training, const Translator& translator) {
  return [&training, &translator](std::span<const std::string> lines) {
    return translate_lines(translator, lines, searching(training));
  };
}

Sample sample_of(const Translation& translation, const Translator& translator) {
  Sample sample{.output = translation.text, .svg = {}, .png = {}};
  if (translation.weights.empty()) {
    return sample;
  }
  if (const HeatMap map = heat_map(in_words(translation, translator), false); !map.rows.empty()) {
    sample.svg = draw_svg(map);
    sample.png = draw_png(map, {.scale = 1});
  }
  return sample;
}

Show showing(const Training& training, const Translator& translator) {
  return [&training, &translator](std::span<const std::string> lines) {
    TranslateOptions how = searching(training);
    how.search.weights = true;
    std::vector<Sample> samples;
    for (const auto& found : translate(translator, lines, how)) {
      samples.push_back(sample_of(found.front(), translator));
    }
    return samples;
  };
}

}  // namespace

TrainReport train(Recipe& recipe, const RecipeRun& run) {
  Work work;
  TrainOptions options;
  options.run = run.folder;
  options.data = config_of(recipe.data);
  options.hooks = run.hooks;
  set_out(work, recipe, run, run.folder);
  options.translate = translating(recipe.training, work.translator);
  options.show = showing(recipe.training, work.translator);
  Trainer trainer(std::move(options), recipe.training, work.translator, work.corpora.train,
                  work.corpora.valid);
  return trainer.run();
}

Estimate estimate(Recipe& recipe, const RecipeRun& run) {
  Work work;
  set_out(work, recipe, run, "");
  return estimate_run(recipe.training, work.translator, work.corpora.train, work.corpora.valid,
                      translating(recipe.training, work.translator));
}

}  // namespace heed
