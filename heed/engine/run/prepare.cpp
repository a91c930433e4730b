#include "heed/engine/run/prepare.h"

#include <map>

#include "heed/config/apply.h"
#include "heed/config/explain.h"
#include "heed/data/path_roots.h"
#include "heed/device/out_of_memory.h"
#include "heed/engine/run/pair_checks.h"
#include "heed/engine/shelf/machine.h"
#include "heed/model/fronts.h"

namespace heed {
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
Corpora load_data(DataPlan& data, const Outset& outset, const TrainedModel& from,
                  const std::vector<Special>& specials, const DataFolders& folders) {
  if (outset.found) {
    return data.load(fields_from(outset.found->file, outset.found->path), folders);
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
  folders.say = [&run](const std::string& what) {
    run.hooks.say(fmt::format("{}: {}", run.name, what));
  };
  if (recipe.teacher.is_there() && !folder.empty()) {
    folders.rewrite = [&recipe, &run](const Cells& pairs, const TakePair& take) {
      recipe.teacher.rewrite(pairs, take, {run.name, run.folder, run.place, run.hooks, run.shelf});
    };
  }
  return folders;
}

}  // namespace

void set_out(Outset& outset, Recipe& recipe, const RecipeRun& run, const KeptIn& folders) {
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
  outset.found = Checkpoints(run.folder + "/checkpoints", 2).newest();
  if (!outset.corpora) {
    outset.corpora = load_data(recipe.data, outset, from, recipe.model->needed_specials(),
                               folders_of(recipe, run, folders.data));
  }
  const Corpora& corpora = *outset.corpora;
  TrainedModel& trained = outset.trained;
  trained.model = std::make_unique<Model>();  // the recipe's own model stays unbuilt
  apply(*trained.model, config_of(*recipe.model));
  trained.fields = corpora.train.fields();
  trained.about = recipe.about.words();
  trained.about["recipe"] = run.name;
  trained.search = changed_settings(recipe.search);
  recipe.training.count_steps(corpora.train);
  const auto located = [&run](const std::string& file) {
    return rooted(file, run.roots, "model.front");
  };
  // Pictures that are cut out at random never come again, so nothing is kept of them.
  const bool come_again = trained.fields.source->variants() > 0;
  trained.model->front().use_files(
      {located, come_again ? folders.front : "", come_again && folders.is_trial});
  recipe.training.objectives.locate(
      [&run](const std::string& file) { return rooted(file, run.roots, "training.objectives"); });
  Init weights(run.place, static_cast<uint64_t>(recipe.training.seed), room_in_memory());
  build(*trained.model, trained.fields, weights);
  check_lengths(*trained.model, corpora.train, "training");
  check_lengths(*trained.model, corpora.valid, "validation");
  check_labels(*trained.model, corpora.train, "training");
  check_labels(*trained.model, corpora.valid, "validation");
  if (recipe.teacher.is_there()) {
    trained.about["teacher"] = recipe.teacher.model();
  }
  if (!path.empty()) {
    start_from(*from.model, *trained.model, path);
    trained.about["init"] = init;
  }
  say_what_there_is(run, corpora, trained);
}

}  // namespace heed
