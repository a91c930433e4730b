// A recipe: the settings of one reproducible result, [about], [data], [teacher], [model], [training]
// and [search].
#pragma once

#include <map>
#include <memory>
#include <string>

#include "heed/data/data_plan.h"
#include "heed/data/path_roots.h"
#include "heed/engine/run/teacher.h"
#include "heed/engine/shelf/model_shelf.h"
#include "heed/model/model.h"
#include "heed/train/estimate.h"
#include "heed/train/trainer.h"
#include "heed/train/training.h"

namespace heed {

/// The description in a model file for people; `heed models` shows it.
class ModelAbout : public Described {
 public:
  void describe(Describer& d) override;
  /// Fault::usage where a language is named by something else than its code.
  void check() const;
  /// The texts that are not empty, by name.
  std::map<std::string, std::string> words() const;

 private:
  std::string languages_;
  std::string source_language_;
  std::string target_language_;
  std::string domain_;
  std::string licence_;
};

class Recipe : public Described {
 public:
  Recipe();
  void describe(Describer& d) override;

  ModelAbout about;
  DataPlan data;
  Teacher teacher;
  std::unique_ptr<Model> model;
  Training training;
  SearchOptions search;  // how the trained model wants to be searched; its file says so
};

/// Sets what `tree` says. If it names a model to start from (training.init), [model] has that
/// model's settings, except those that the tree sets.
void configure(Recipe& recipe, const Json& tree, const ModelShelf& shelf = ModelShelf());

struct RecipeRun {
  std::string folder;
  Place place = {};  // where to compute
  std::string name;  // of the recipe, for the model file
  RunHooks hooks = {};
  ModelShelf shelf = ModelShelf();  // finds the model that training.init names
  PathRoots roots = {};             // what $HEED_DATA and $RECIPE stand for in paths
};

/// Trains, or continues to train, in the folder; the best model is written there as
/// model.safetensors.
TrainReport train(Recipe& recipe, const RecipeRun& run);

/// The settings of the data, which a resumed run must have; the teacher's are among them if there is one.
Json data_settings(Recipe& recipe);

/// What this training would take; nothing stays on disk.
Estimate estimate(Recipe& recipe, const RecipeRun& run);

}  // namespace heed
