// A checkpoint: everything a run needs to go on as if it had never stopped, in one safetensors
// file.
//
//   tensors   the model's and its vocabularies', "optimiser.first.decoder.output.weight" …, and
//             "optimiser.average.ema.decoder.output.weight" … where weights are averaged, and
//             "optimiser.objective.NAME.…" of objectives that remember something
//   metadata  the model file's, and "state" (run_state.h), "data" and "training" (settings), as JSON
//
// All randomness is keyed by (seed, step, place), so there is no state of a generator.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heed/base/json.h"
#include "heed/model/model_file.h"
#include "heed/train/run_state.h"
#include "heed/train/training.h"

namespace heed {

/// What a run was told; a resumed one must agree on the data and on the model.
struct RunSettings {
  Json data;
  Json training;
};

SafetensorsFile checkpoint_contents(const TrainedModel& trained, const Training& training,
                                    const RunState& state, const RunSettings& settings);

/// Fills the model and the training's parts (attached to it) and returns where the run stood. Fault::usage names
/// the first setting of model or data that differs; what differs in the training's settings is
/// added to `changes`. `who` names the file.
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

  /// Writes atomically, reads back and compares; only then are old ones deleted. Returns the path.
  std::string save(int64_t step, const SafetensorsFile& contents) const;

  struct Found {
    std::string path;
    SafetensorsFile file;
    std::vector<std::string> refused;  // what was wrong with newer ones
  };
  /// The newest that is whole; nothing where there is none at all. Where there are some and none is
  /// whole, an Error.
  std::optional<Found> newest() const;

 private:
  std::vector<int64_t> steps() const;  // ascending
  std::string path_of(int64_t step) const;

  std::string folder_;
  int64_t keep_;
};

}  // namespace heed
