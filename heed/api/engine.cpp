#include "heed/api/engine.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "heed/api/core.h"
#include "heed/api/held_model.h"
#include "heed/backend/all/backends.h"
#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/engine/run/recipe_file.h"
#include "heed/engine/shelf/model_shelf.h"
#include "heed/import/import.h"
#include "heed/model/monotonic_decoding.h"
#include "heed/nn/precision.h"

namespace heed {
namespace {

RecipeFile recipe_of(const TrainingRequest& request) {
  if (request.recipe.empty() == request.text.empty()) {
    fail(Fault::usage, "train: {}; give either a recipe's file or its text",
         request.recipe.empty() ? "there is no recipe" : "there are two recipes");
  }
  RecipeFile file =
      request.text.empty() ? read_recipe(request.recipe) : parse_recipe(request.text, "recipe");
  file.who = "settings";
  for (const std::string& setting : request.settings) {
    override_setting(file, setting);
  }
  return file;
}

PathRoots roots_of(const TrainingRequest& request, const std::optional<std::string>& data) {
  PathRoots roots{.data = data};
  if (!request.recipe.empty()) {
    roots.recipe = folder_of_recipe(request.recipe);
  }
  return roots;
}

RunHooks hooks_of(const TrainingRequest& request, const LogSink& log) {
  RunHooks hooks;
  hooks.interrupt = [&request] {
    return request.stop.stop_requested() ? static_cast<int>(Fault::cancelled) : 0;
  };
  if (request.on_step) {
    hooks.on_step = [&request](const StepReport& r) {
      request.on_step({r.step, r.steps, r.epoch, r.loss, r.learning_rate, r.gradient_norm,
                       r.tokens_per_second});
    };
  }
  if (log) {
    hooks.say = [&log](const std::string& line) { log(LogLevel::info, line); };
    hooks.warn = [&log](const std::string& line) { log(LogLevel::warning, line); };
  }
  return hooks;
}

/// The recipe is destroyed at the end of the run, because its optimiser holds tensors.
TrainReport trained(const RecipeFile& file, const RecipeRun& run) {
  Recipe recipe;
  for (const std::string& replaced : configure(recipe, file, run.shelf)) {
    run.hooks.say(replaced);
  }
  return train(recipe, run);
}

TrainingEnd end_of(Ending ending) {
  return ending == Ending::finished        ? TrainingEnd::finished
         : ending == Ending::stopped_early ? TrainingEnd::stopped_early
                                           : TrainingEnd::cancelled;
}

}  // namespace

Engine::Core::Core(EngineOptions wanted)
    : options(std::move(wanted)),
      pool(options.threads == 0 ? machine_threads() : options.threads),
      backend(make_backend(options.backend)) {
  constexpr auto most = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  backend->allocator().set_limit(static_cast<int64_t>(std::min(options.memory_limit, most)));
}

Engine::Engine(EngineOptions options) : core_(std::make_shared<Core>(std::move(options))) {}

LoadedModel Engine::load(const std::string& model, const LoadOptions& options) const {
  if (model.empty()) {
    fail(Fault::usage, "load: there is no model to load; give the path of a file or a name");
  }
  const UsePool use(core_->pool);
  const std::string path = ModelShelf(core_->options.model_folders).path_of(model, "load");
  auto held = std::make_shared<LoadedModel::Held>();
  held->core = core_;
  held->trained = load_any_model(path, core_->place());
  if (options.monotonic) {
    look_forwards_only(*held->trained.model);
  }
  serve(*held->trained.model, precision_named(options.precision));
  return LoadedModel(std::move(held));
}

TrainingResult Engine::train(const TrainingRequest& request) const {
  const RecipeFile file = recipe_of(request);
  if (request.folder.empty()) {
    fail(Fault::usage, "train: there is no folder to keep the run in; name one");
  }
  const UsePool use(core_->pool);
  const TrainReport report =
      trained(file, {.folder = request.folder,
                     .place = core_->place(),
                     .name = recipe_name(file.path),
                     .hooks = hooks_of(request, core_->options.log),
                     .shelf = ModelShelf(core_->options.model_folders),
                     .roots = roots_of(request, core_->options.data_folder)});
  core_->backend->trim();
  const std::string model = request.folder + "/model.safetensors";
  return {.end = end_of(report.ending),
          .why = report.why,
          .step = report.state.step,
          .best = report.state.gains.best,
          .model = file_exists(model) ? model : ""};
}

MemoryUse Engine::memory() const {
  const AllocatorStatistics now = core_->backend->allocator().statistics();
  return {static_cast<uint64_t>(now.live_bytes), static_cast<uint64_t>(now.cached_bytes),
          static_cast<uint64_t>(now.peak_bytes), static_cast<uint64_t>(now.limit_bytes)};
}

SearchUse Engine::search_use() const {
  const Scheduler::Counts now = core_->searching.counts();
  return {static_cast<uint64_t>(now.steps), static_cast<uint64_t>(now.pieces),
          static_cast<uint64_t>(now.joins)};
}

void Engine::trim() const {
  const UsePool use(core_->pool);
  core_->backend->trim();
}

}  // namespace heed
