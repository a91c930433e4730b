// What a run will take, measured before it begins on a few of its own steps. They change only the
// model in memory.
#pragma once

#include <cstdint>

#include "heed/base/json.h"
#include "heed/data/corpus.h"
#include "heed/model/file/model_file.h"
#include "heed/train/training.h"
#include "heed/train/validator.h"

namespace heed {

struct Estimate {
  int64_t parameters = 0;
  uint64_t model_bytes = 0;
  uint64_t checkpoint_bytes = 0;
  uint64_t disk_bytes = 0;    // the most at one time, when one more of each file is being written
  uint64_t memory_bytes = 0;  // the largest resident size so far
  int64_t steps = 0;
  int64_t measured_steps = 0;
  double step_seconds = 0;
  double tokens_per_second = 0;  // target tokens
  int64_t validations = 0;
  double validation_seconds = 0;  // of each; with a metric, for the longest translations allowed
  // What the front computes once of every source and keeps, where it does and as far as there is room;
  // the times above are then those with that kept.
  double once_seconds = 0;
  uint64_t kept_bytes = 0;  // part of disk_bytes

  double seconds() const {
    return static_cast<double>(steps) * step_seconds +
           static_cast<double>(validations) * validation_seconds + once_seconds;
  }
};

/// `data` are the settings of the data, as a checkpoint has them.
Estimate estimate_run(const Json& data, Training& training, TrainedModel& trained,
                      const Corpus& train, const Corpus& valid, const Translate& translate);

}  // namespace heed
