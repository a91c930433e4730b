// What a run keeps on disk to go on from and to hand out: its checkpoints and its best model.
//
// The disk may be full for a while. A save that fails is worth a warning and is tried again with
// the next one; the best model waits in memory until there is room for it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "heed/model/model_file.h"
#include "heed/train/checkpoint.h"
#include "heed/train/run_folder.h"
#include "heed/train/run_hooks.h"

namespace heed {

class Keeper {
 public:
  /// All must outlive it; the training's parts are attached to the model's parameters.
  Keeper(const RunFolder& folder, Training& training, TrainedModel& trained, RunSettings settings,
         const RunHooks& hooks);

  /// Fills the model and the training's parts from the newest checkpoint that is whole, and returns
  /// where that run stood; a state of zeros where there is none. Whoever has `found` that checkpoint
  /// already may hand it in.
  RunState resume(std::optional<Checkpoints::Found> found = std::nullopt);

  /// Takes a copy of the model as it is now: the best, or the last where nothing judges. It is
  /// written with the next `write_model` or `save`.
  void hold_model(int64_t step, const std::string& score);
  /// Writes the held model; a full disk is worth a warning.
  void write_model();

  bool has_saved(const RunState& state) const { return saved_ == state; }
  /// Writes the held model, then a checkpoint. A full disk is an Error only where this save `must`
  /// succeed, and a warning otherwise.
  void save(const RunState& state, bool must);

  /// The last checkpoint written or read.
  const std::optional<std::string>& checkpoint() const { return checkpoint_; }

 private:
  /// The warning begins with `otherwise`.
  void try_to(const std::string& otherwise, const std::function<void()>& write);
  void write_held_model();
  void write_checkpoint(const RunState& state);

  const RunFolder& folder_;
  Training& training_;
  TrainedModel& trained_;
  RunSettings settings_;
  const RunHooks& hooks_;
  Checkpoints checkpoints_;
  std::optional<std::string> checkpoint_;
  std::optional<RunState> saved_;        // what the last checkpoint says
  std::optional<SafetensorsFile> held_;  // the model that is not written yet
};

}  // namespace heed
