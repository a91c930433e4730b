#include "heed/engine/recipe.h"

#include <optional>

#include "heed/base/file.h"
#include "heed/base/json_reader.h"
#include "heed/config/apply.h"
#include "heed/config/explain.h"
#include "heed/data/path_roots.h"
#include "heed/device/out_of_memory.h"
#include "heed/engine/drawn_sample.h"
#include "heed/engine/labelled_pairs.h"
#include "heed/engine/machine.h"
#include "heed/engine/translation.h"
#include "heed/model/fronts.h"

namespace heed {

Recipe::Recipe() : model(std::make_unique<Model>()) {}

void ModelAbout::describe(Describer& d) {
  d.setting("languages", languages_, {"source and target language, such as \"en-zh\""});
  d.setting("domain", domain_, {"the kind of texts it is for"});
  d.setting("licence", licence_, {"licence of its data, and whom to credit"});
}

std::map<std::string, std::string> ModelAbout::words() const {
  std::map<std::string, std::string> all = {
      {"languages", languages_}, {"domain", domain_}, {"licence", licence_}};
  std::erase_if(all, [](const auto& entry) { return entry.second.empty(); });
  return all;
}

void configure(Recipe& recipe, const Json& tree, const ModelShelf& shelf) {
  Json plain = Json::object();
  const JsonReader reader(tree, "recipe", Fault::usage);
  const auto training = tree.kind() == Json::Kind::object ? reader.find("training") : std::nullopt;
  const auto init =
      training && training->kind() == Json::Kind::object ? training->find("init") : std::nullopt;
  if (init && init->kind() == Json::Kind::text && !init->text().empty()) {
    const std::string path = shelf.path_of(init->text(), "training.init");
    const SafetensorsFile header{read_safetensors_metadata(path), {}};
    apply(*recipe.model, model_config_from(header, path), "model");
  }
  apply(recipe, tree);
}

void Recipe::describe(Describer& d) {
  d.child("about", about);
  d.child("data", data);
  d.child("teacher", teacher);
  d.child("model", *model);
  d.child("training", training);
  d.child("search", search);
}

namespace {

/// Settings that contradict each other are found here and reported as a fault of the recipe; a file
/// that it names and that is missing or damaged stays a fault of the file.
void build(Model& model, const Fields& fields, Init& init) {
  try {
    model.build(fields, init);
  } catch (const OutOfMemory&) {
    throw;
  } catch (const Error& error) {
    fail(error.fault() == Fault::file ? Fault::file : Fault::usage, "model: {}", error.what());
  }
}

void say_what_there_is(const RecipeRun& run, const Corpora& corpora, TrainedModel& trained) {
  for (const auto& [corpus, what] :
       {std::pair(&corpora.train, "training"), std::pair(&corpora.valid, "validation")}) {
    if (corpus->left_out().count() > 0) {
      run.hooks.say(fmt::format("{}: left out of the {} data: {}", run.name, what,
                                corpus->left_out().sentence()));
    }
  }
  const auto sentences = static_cast<int64_t>(corpora.valid.rows().size());
  run.hooks.say(fmt::format(
      "{}: {} training and {} validation pairs{}, a source of {}, a target of {}, {} parameters",
      run.name, corpora.train.size(), corpora.valid.size(),
      sentences < corpora.valid.size() ? fmt::format(" of {} sentences", sentences) : "",
      trained.fields.source->summary(), trained.fields.target->summary(),
      count_parameters(*trained.model)));
}

/// The objects of a run. It must not move, because others point into it.
struct Work {
  Work() = default;
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  std::optional<Checkpoints::Found> found;  // the newest checkpoint, if the run has begun
  Corpora corpora;
  TrainedModel trained;
};

/// Copies all parameters; the Error names the first that does not fit.
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
      refuse(fmt::format("it has no {}, which this recipe's model has", parameter.name));
    }
    if (found->second->shape() != parameter.tensor->shape()) {
      refuse(fmt::format("its {} has the shape {}, but this recipe's has {}", parameter.name,
                         found->second->shape(), parameter.tensor->shape()));
    }
    copy_values(*found->second, *parameter.tensor);
  }
}

/// The weights that this machine's memory could hold with their gradients and the two numbers that
/// Adam keeps for each, if there were nothing else in it.
std::optional<WeightRoom> room_in_memory() {
  constexpr int64_t bytes_a_weight = 4 * sizeof(float);
  const auto bytes = static_cast<int64_t>(this_machine().memory_bytes);
  return bytes == 0 ? std::nullopt
                    : std::optional(
                          WeightRoom{.tensors = most_elements, .elements = bytes / bytes_a_weight});
}

/// With the vocabularies of the run so far, so that subwords are not learnt again; else with those
/// of the model it starts from, else with its own, which have these special tokens too.
Corpora load_data(DataPlan& data, const Work& work, const TrainedModel& from,
                  const std::vector<Special>& specials, const DataFolders& folders) {
  if (work.found) {
    return data.load(fields_from(work.found->file, work.found->path), folders);
  }
  if (!from.model && !data.vocabulary_of().empty()) {
    const std::string& path = data.vocabulary_of();
    const Fields other = fields_from(read_safetensors(path), path);
    if (!other.target->has_vocabulary()) {
      fail(Fault::usage,
           "data.vocabulary_of: the target of {} has no vocabulary; name a model that writes words",
           path);
    }
    data.use_target_vocabulary(other.target->shared_vocabulary());
  }
  return from.model ? data.load(from.fields, folders) : data.load(folders, specials);
}

/// With what the teacher says, if there is one and the run has a folder for it.
DataFolders folders_of(const Recipe& recipe, const RecipeRun& run, const std::string& folder) {
  DataFolders folders{folder, run.roots};
  if (recipe.teacher.is_there() && !folder.empty()) {
    folders.rewrite = [&recipe, &run](const Cells& pairs, const TakePair& take) {
      recipe.teacher.rewrite(pairs, take, {run.name, run.folder, run.place, run.hooks, run.shelf});
    };
  }
  return folders;
}

/// What memory does not hold of the data waits in `folder`.
void set_out(Work& work, Recipe& recipe, const RecipeRun& run, const std::string& folder) {
  recipe.model->check_source(recipe.data.source());
  if (!recipe.model->reads_source() && recipe.training.judges_text()) {
    fail(Fault::usage,
         "training.metric: {} judges translations, and a model without a source has nothing to "
         "translate; choose perplexity or loss",
         recipe.training.metric);
  }
  if (recipe.teacher.is_there()) {
    recipe.teacher.check(run.shelf, run.place, recipe.data.source());
  }
  const std::string& init = recipe.training.init;
  const std::string path = init.empty() ? "" : run.shelf.path_of(init, "training.init");
  TrainedModel from;
  if (!path.empty()) {
    from = load_model(path, run.place);
    run.hooks.say(fmt::format("{}: starting from {}, with its vocabularies", run.name, path));
  }
  work.found = Checkpoints(run.folder + "/checkpoints", 2).newest();
  work.corpora = load_data(recipe.data, work, from, recipe.model->needed_specials(),
                           folders_of(recipe, run, folder));
  TrainedModel& trained = work.trained;
  trained.model = std::make_unique<Model>();  // the recipe's own model stays unbuilt
  apply(*trained.model, config_of(*recipe.model));
  trained.fields = work.corpora.train.fields();
  trained.about = recipe.about.words();
  trained.about["recipe"] = run.name;
  trained.search = changed_settings(recipe.search);
  recipe.training.count_steps(work.corpora.train);
  const auto located = [&run](const std::string& file) {
    return rooted(file, run.roots, "model.front");
  };
  trained.model->front().use_files({located, folder});
  recipe.training.objectives.locate(
      [&run](const std::string& file) { return rooted(file, run.roots, "training.objectives"); });
  Init weights(run.place, static_cast<uint64_t>(recipe.training.seed), room_in_memory());
  build(*trained.model, trained.fields, weights);
  check_labels(*trained.model, work.corpora.train, "training");
  check_labels(*trained.model, work.corpora.valid, "validation");
  if (recipe.teacher.is_there()) {
    trained.about["teacher"] = recipe.teacher.model();
  }
  if (!path.empty()) {
    start_from(*from.model, *trained.model, path);
    trained.about["init"] = init;
  }
  say_what_there_is(run, work.corpora, trained);
}

/// The settings of the data, which a resumed run must have; the teacher's are among them if there is
/// one.
Json data_settings(Recipe& recipe) {
  Json settings = config_of(recipe.data);
  if (recipe.teacher.is_there()) {
    settings.set("teacher", config_of(recipe.teacher));
  }
  return settings;
}

TranslateOptions searching(const SearchOptions& search) {
  TranslateOptions how;
  how.search = search;
  return how;
}

/// The best translation of every line; warnings go to the hooks.
std::vector<Translation> best_of(const TrainedModel& trained, std::span<const std::string> lines,
                                 const TranslateOptions& how, const RunHooks& hooks) {
  std::vector<Translation> best;
  for (auto& found : translate(trained, lines, how)) {
    for (const std::string& warning : found.front().warnings) {
      hooks.warn(warning);
    }
    best.push_back(std::move(found.front()));
  }
  return best;
}

/// An interrupt ends it with an Error of kind `cancelled`.
Translate translating(const SearchOptions& search, const TrainedModel& trained,
                      const RunHooks& hooks) {
  return [&search, &trained, &hooks](std::span<const std::string> lines) {
    TranslateOptions how = searching(search);
    how.is_cancelled = [&hooks] { return hooks.interrupt() != 0; };
    std::vector<std::string> texts;
    for (Translation& best : best_of(trained, lines, how, hooks)) {
      texts.push_back(std::move(best.text));
    }
    return texts;
  };
}

Show showing(const Training& training, const TrainedModel& trained, const RunHooks& hooks) {
  return [&training, &trained, &hooks](std::span<const std::string> lines) {
    TranslateOptions how = searching(training.search);
    how.search.weights = true;
    std::vector<Sample> samples;
    const std::vector<Translation> said = best_of(trained, lines, how, hooks);
    for (size_t i = 0; i < said.size(); ++i) {
      samples.push_back(drawn_sample(said[i], trained, lines[i], hooks));
    }
    return samples;
  };
}

/// If the recipe's [search] is another than the one that validated, the best model is measured with it,
/// and its file says that score.
void measure_as_searched(const Recipe& recipe, const RecipeRun& run, const Corpus& valid) {
  const Training& training = recipe.training;
  const std::string how = summary(recipe.search);
  const std::string path = run.folder + "/model.safetensors";
  if (how == summary(training.search) || !training.judges_text() || !file_exists(path)) {
    return;
  }
  TrainedModel best = load_model(path, run.place);
  const std::string in_this_way = " (" + how + ")";
  if (best.about["score"].ends_with(in_this_way)) {
    return;  // an earlier call of the same run has measured it
  }
  const Validator validator(training, valid, translating(recipe.search, best, run.hooks));
  const auto goes_on = [&run] { return run.hooks.interrupt() == 0; };
  if (!validator.is_there()) {
    return;
  }
  if (const std::optional<double> score = validator.score(goes_on)) {
    const std::string sentence = fmt::format("{} {:.6g}", training.metric, *score) + in_this_way;
    run.hooks.say(fmt::format("the best model, searched as [search] says: {}", sentence));
    best.about["score"] = sentence;
    save_model(path, best);
  }
}

}  // namespace

TrainReport train(Recipe& recipe, const RecipeRun& run) {
  Work work;
  TrainOptions options;
  options.run = run.folder;
  options.data = data_settings(recipe);
  options.hooks = run.hooks;
  // Claimed first, so that nobody waits for data to be loaded only to hear that it cannot be had.
  const auto claimed = std::make_shared<RunFolder>(run.folder);
  options.claimed = claimed;
  std::optional<Trainer> trainer;
  try {
    set_out(work, recipe, run, run.folder);
    options.found = std::move(work.found);
    options.translate = translating(recipe.training.search, work.trained, run.hooks);
    options.show = showing(recipe.training, work.trained, run.hooks);
    trainer.emplace(std::move(options), recipe.training, work.trained, work.corpora.train,
                    work.corpora.valid);
  } catch (const Error& error) {
    claimed->give_up();
    if (error.fault() != Fault::cancelled || run.hooks.interrupt() == 0) {
      throw;
    }
    run.hooks.say(error.what());
    return {.ending = Ending::interrupted,
            .why = error.what(),
            .exit_code = run.hooks.interrupt(),
            .state = {},
            .checkpoint = {}};
  } catch (...) {
    claimed->give_up();
    throw;
  }
  TrainReport report = trainer->run();
  if (report.ending == Ending::finished || report.ending == Ending::stopped_early) {
    measure_as_searched(recipe, run, work.corpora.valid);
  }
  return report;
}

Estimate estimate(Recipe& recipe, const RecipeRun& run) {
  Work work;
  set_out(work, recipe, run, "");
  return estimate_run(data_settings(recipe), recipe.training, work.trained, work.corpora.train,
                      work.corpora.valid,
                      translating(recipe.training.search, work.trained, run.hooks));
}

}  // namespace heed
