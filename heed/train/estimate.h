// What a run will take, before it begins: measured on a few of its own steps, which leave nothing
// behind but a trained-a-little model in memory.
#pragma once

#include <cstdint>

#include "heed/data/corpus.h"
#include "heed/model/model_file.h"
#include "heed/train/training.h"
#include "heed/train/validator.h"

namespace heed {

struct Estimate {
  int64_t parameters = 0;
  uint64_t model_bytes = 0;
  uint64_t checkpoint_bytes = 0;
  uint64_t disk_bytes = 0;    // of all that is there at once: one more of each while it is written
  uint64_t memory_bytes = 0;  // resident, at the most so far
  int64_t steps = 0;
  int64_t measured_steps = 0;
  double step_seconds = 0;
  double tokens_per_second = 0;  // target tokens
  int64_t validations = 0;
  double validation_seconds = 0;  // each; with a metric, of translations as long as allowed

  double seconds() const {
    return static_cast<double>(steps) * step_seconds +
           static_cast<double>(validations) * validation_seconds;
  }
};

Estimate estimate_run(Training& training, TrainedModel& trained, const Corpus& train,
                      const Corpus& valid, const Translate& translate);

}  // namespace heed
