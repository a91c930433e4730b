// A checkpoint: everything that a run needs to continue as if it had never stopped, in one
// safetensors file.
//
//   tensors   those of the model file, "optimiser.first.decoder.output.weight" …,
//             "optimiser.average.ema.decoder.output.weight" … if weights are averaged, and
//             "optimiser.objective.NAME.…" of objectives with state
//   metadata  that of the model file, and as JSON "state" (run_state.h), "data" and "training"
//             (settings)
//
// All randomness is keyed by (seed, step, stream), so there is no state of a generator.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heed/base/json.h"
#include "heed/model/file/model_file.h"
#include "heed/train/run_state.h"
#include "heed/train/training.h"

namespace heed {

class Corpus;

/// The settings of a run; a resumed run must have the same data and model settings.
struct RunSettings {
  Json data;
  Json training;
};

/// The data is described by its settings and a hash of its items.
RunSettings run_settings(const Json& data, const Corpus& train, Training& training);

SafetensorsFile checkpoint_contents(const TrainedModel& trained, const Training& training,
                                    const RunState& state, const RunSettings& settings);

/// Fills the model and the training's parts (attached to it) and returns the state of the run. A
/// Fault::usage names the first setting of model or data that differs; differences in the
/// training's settings are added to `changes`. `who` names the file.
RunState resume_from(const SafetensorsFile& file, TrainedModel& trained, Training& training,
                     const RunSettings& settings, const std::string& who,
                     std::vector<std::string>& changes);

/// Each difference as "encoder.width was 128, is 64".
std::vector<std::string> differences(const Json& before, const Json& now,
                                     const std::string& path = "");

/// The folder of checkpoints: step-00001000.safetensors, …
class Checkpoints {
 public:
  /// Keeps the `keep` newest, at least two.
  Checkpoints(std::string folder, int64_t keep);

  /// Writes atomically, reads the file back and compares; only then deletes old ones. Returns the
  /// path.
  std::string save(int64_t step, const SafetensorsFile& contents) const;

  struct Found {
    std::string path;
    SafetensorsFile file;
    std::vector<std::string> refused;  // why newer ones were refused
  };
  /// The newest checkpoint that is whole; nothing if there are no checkpoints. An Error if there
  /// are some and none is whole.
  std::optional<Found> newest() const;

 private:
  std::vector<int64_t> steps() const;  // ascending
  void remove_older(int64_t step) const;
  std::string path_of(int64_t step) const;

  std::string folder_;
  int64_t keep_;
};

}  // namespace heed
