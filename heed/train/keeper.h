// Keeps a run's checkpoints and its best model on disk.
//
// The disk may be full for a while. A save that fails gives a warning and is tried again with the
// next one; the best model stays in memory until there is room for it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "heed/model/file/model_file.h"
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
  /// the state of that run; a state of zeros if there is none. A caller that has read this
  /// checkpoint already passes it as `found`.
  RunState resume(std::optional<Checkpoints::Found> found = std::nullopt);

  /// Copies the present model, which is the best, or the last if nothing judges. The copy is
  /// written by the next `write_model` or `save`.
  void hold_model(int64_t step, const std::string& score);
  /// Writes the held model; a full disk gives a warning.
  void write_model();

  bool has_saved(const RunState& state) const { return saved_ == state; }
  /// Writes the held model, then a checkpoint. A full disk is an Error if this save `must` succeed,
  /// and a warning otherwise.
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
  std::optional<RunState> saved_;        // the state in the last checkpoint
  std::optional<SafetensorsFile> held_;  // the model that is not written yet
};

}  // namespace heed
