#include "heed/engine/run/rehearsal.h"

#include <utility>

#include "heed/config/explain.h"
#include "heed/engine/run/prepare.h"
#include "heed/train/step.h"
#include "heed/train/validator.h"

namespace heed {
namespace {

/// The data's own settings, and those that decide which vocabularies they have.
std::string what_loads(Recipe& recipe) {
  std::string settings = config_of(recipe.data).write() + recipe.training.init;
  for (const Special special : recipe.model->needed_specials()) {
    settings += fmt::format(" {}", static_cast<int>(special));
  }
  return settings;
}

/// Fails if the run has begun with what it cannot continue with. The training's parts are attached to the model.
void check_resumes(Outset& outset, Recipe& recipe) {
  if (outset.found) {
    std::vector<std::string> changes;
    resume_from(outset.found->file, outset.trained, recipe.training,
                run_settings(data_settings(recipe), outset.corpora->train, recipe.training),
                outset.found->path, changes);
  }
}

}  // namespace

void Rehearsal::operator()(Recipe& recipe, const RecipeRun& run, const Look& look) {
  Outset outset;
  const std::string settings = what_loads(recipe);
  if (settings == loaded_by_) {
    outset.corpora = std::exchange(corpora_, {});
  }
  loaded_by_.clear();
  set_out(outset, recipe, run, {});
  look(outset.trained, *outset.corpora);
  {
    const Translate never = [](std::span<const std::string>) { return std::vector<std::string>(); };
    const Validator validator(recipe.training, outset.corpora->valid, never);
    const Stepper stepper(recipe.training, *outset.trained.model, outset.corpora->train);
    check_resumes(outset, recipe);
  }
  corpora_ = std::move(*outset.corpora);
  loaded_by_ = settings;
}

}  // namespace heed
