// What a run would refuse before its first step, found out without a run: a comparison rehearses all of its variants before it
// trains the first. Nothing is written.
#pragma once

#include <functional>
#include <string>

#include "heed/data/data_plan.h"
#include "heed/engine/run/recipe.h"
#include "heed/model/file/model_file.h"

namespace heed {

class Rehearsal {
 public:
  /// Sees the model as it is before the first step, and the data.
  using Look = std::function<void(const TrainedModel&, const Corpora&)>;
  /// Fails as train(recipe, run) would before its first step, or as `look` does. Recipes that follow each other and have the same
  /// data load them once.
  void operator()(Recipe& recipe, const RecipeRun& run, const Look& look);

 private:
  std::string loaded_by_;  // the settings that the data depend on
  Corpora corpora_;
};

}  // namespace heed
