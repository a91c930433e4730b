#include "heed/engine/recipe.h"

#include "heed/engine/place.h"
#include "heed/engine/translation.h"
#include "heed/nn/settings.h"

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
  const int64_t dropped = corpora.train.dropped() + corpora.valid.dropped();
  if (dropped > 0) {
    log_info("{}: {} pairs are left out for an empty side or their length", name, dropped);
  }
  log_info("{}: {} training and {} validation pairs, {} source and {} target tokens, {} parameters",
           name, corpora.train.size(), corpora.valid.size(), translator.source->size(),
           translator.target->size(), count_parameters(*translator.model));
}

}  // namespace

TrainReport train(Recipe& recipe, const RecipeRun& run) {
  const Place place = place_on(run.backend);
  const Json data = config_of(recipe.data);
  const Corpora corpora = recipe.data.load();
  Translator translator;
  translator.model = std::move(recipe.model);
  translator.source = corpora.vocabularies.source;
  translator.target = corpora.vocabularies.target;
  translator.about = recipe.about.words();
  translator.about["recipe"] = run.name;
  Init init(place, static_cast<uint64_t>(recipe.training.seed));
  build(*translator.model,
        {static_cast<int64_t>(translator.source->size()),
         static_cast<int64_t>(translator.target->size())},
        init);
  say_what_there_is(run.name, corpora, translator);
  TrainOptions options;
  options.run = run.folder;
  options.data = data;
  options.translate = [&translator](std::span<const std::string> lines) {
    return translate_lines(translator, lines, {});
  };
  Trainer trainer(std::move(options), recipe.training, translator, corpora.train, corpora.valid);
  return trainer.run();
}

}  // namespace heed
