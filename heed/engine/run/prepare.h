// What a run begins with: its data, and its model as it is before the first step.
#pragma once

#include <optional>
#include <string>

#include "heed/data/data_plan.h"
#include "heed/engine/run/recipe.h"
#include "heed/model/file/model_file.h"
#include "heed/train/checkpoint.h"

namespace heed {

/// It must not move once it is set out, because others point into it.
struct Outset {
  Outset() = default;
  Outset(const Outset&) = delete;
  Outset& operator=(const Outset&) = delete;

  std::optional<Checkpoints::Found> found;  // the newest checkpoint, if the run has begun
  std::optional<Corpora> corpora;           // loaded unless they are there
  TrainedModel trained;
};

/// Where a run keeps what it need not compute or read again; empty: nowhere.
struct KeptIn {
  std::string data;       // what memory does not hold of the data
  std::string front;      // what the front computed
  bool is_trial = false;  // that is kept for as long as the model is there, and nowhere else
};

/// Reads the data and builds the model. An Error of what the recipe cannot have.
void set_out(Outset& outset, Recipe& recipe, const RecipeRun& run, const KeptIn& folders);

}  // namespace heed
