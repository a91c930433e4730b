// Where a run stands, beside its weights and the memory of its parts.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/base/json.h"
#include "heed/base/json_reader.h"
#include "heed/train/patience.h"

namespace heed {

/// The steps since the last line of metrics.jsonl whose loss was finite.
struct LossWindow {
  double loss = 0;                 // Σ over them
  std::vector<double> objectives;  // the same of each objective's, where there are several
  int64_t steps = 0;

  void add(double loss, const std::vector<double>& objectives);

  bool operator==(const LossWindow&) const = default;
};

struct RunState {
  int64_t step = 0;     // steps done, those skipped included
  int64_t batches = 0;  // batches seen, several a step where gradients are accumulated
  int64_t tokens = 0;   // target tokens seen
  int64_t skipped = 0;  // steps whose loss or gradient was not finite
  int64_t skipped_in_a_row = 0;
  LossWindow window;
  int64_t validated = 0;  // the step of the last validation that was not cut short
  Gains gains;

  bool operator==(const RunState&) const = default;
};

Json json_of(const RunState& state);
/// What older checkpoints do not have is as it was when they were written.
RunState run_state_of(const JsonReader& json);

/// An integer of at least 0 that older checkpoints do not have.
int64_t integer_or(const JsonReader& json, std::string_view key, int64_t otherwise);

}  // namespace heed
