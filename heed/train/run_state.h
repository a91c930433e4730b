// The state of a run, without its weights and the state of its parts.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/base/json.h"
#include "heed/base/json_reader.h"
#include "heed/train/patience.h"

namespace heed {

/// The steps since the last line of metrics.jsonl whose loss was finite.
struct LossWindow {
  double loss = 0;                 // the sum over these steps
  std::vector<double> objectives;  // the sums of StepOutcome::objectives
  int64_t steps = 0;

  void add(double loss, const std::vector<double>& objectives);

  bool operator==(const LossWindow&) const = default;
};

/// The most batches whose gradients make one update, and so the most that a step sees.
inline constexpr int64_t most_accumulated = 4096;

struct RunState {
  int64_t step = 0;     // steps done, including skipped ones
  int64_t batches = 0;  // batches seen, several a step if gradients are accumulated
  int64_t tokens = 0;   // target tokens seen
  int64_t skipped = 0;  // steps whose loss or gradient was not finite
  int64_t skipped_in_a_row = 0;
  LossWindow window;
  int64_t validated = 0;  // the step of the last validation that was not cut short
  Gains gains;

  bool operator==(const RunState&) const = default;
};

Json json_of(const RunState& state);
/// Members that older checkpoints do not have get the values that they had at that time. A state in
/// which more was counted than its steps allow is refused, because the work to find its next batch
/// grows with these numbers.
RunState run_state_of(const JsonReader& json);

/// An integer from 0 to `most`; `otherwise` if the checkpoint is older and does not have it.
int64_t integer_or(const JsonReader& json, std::string_view key, int64_t otherwise, int64_t most);

}  // namespace heed
