// A checkpoint: everything a run needs to go on as if it had never stopped, in one safetensors
// file.
//
//   tensors   the model's and its vocabularies', "optimiser.first.decoder.output.weight" …, and
//             "optimiser.average.ema.decoder.output.weight" … where weights are averaged
//   metadata  the model file's, and "state" (below), "data" and "training" (settings), as JSON
//
// All randomness is keyed by (seed, step, place), so there is no state of a generator.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heed/base/json.h"
#include "heed/model/model_file.h"
#include "heed/train/average.h"
#include "heed/train/optimiser.h"

namespace heed {

/// Where a run stands, beside weights and optimiser.
struct RunState {
  int64_t step = 0;     // steps done, those skipped included
  int64_t batches = 0;  // batches seen, several a step where gradients are accumulated
  int64_t tokens = 0;   // target tokens seen
  int64_t skipped = 0;  // steps whose loss or gradient was not finite
  int64_t skipped_in_a_row = 0;
  double window_loss = 0;      // Σ loss over the steps since the last line of metrics.jsonl
  int64_t window_steps = 0;    // and their number
  std::optional<double> best;  // the best validation's score
  int64_t best_step = 0;
  int64_t without_gain = 0;  // validations since
  int64_t validated = 0;     // the step of the last validation that was not cut short
  int64_t falls = 0;         // of the learning rate, where its schedule watches validation
  int64_t since_fall = 0;    // validations without gain since the last fall or gain

  bool operator==(const RunState&) const = default;
};

/// What a run was told; a resumed one must agree on the data and on the model.
struct RunSettings {
  Json data;
  Json training;
};

/// What moves a run's weights, with memory of its own.
struct Movers {
  Optimiser& optimiser;
  Average& average;
};

SafetensorsFile checkpoint_contents(const Translator& translator, const Movers& movers,
                                    const RunState& state, const RunSettings& settings);

/// Fills model and movers (attached to it) and returns where the run stood. Fault::usage names
/// the first setting of model or data that differs; what differs in the training's settings is
/// added to `changes`. `who` names the file.
RunState resume_from(const SafetensorsFile& file, Translator& translator, const Movers& movers,
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
