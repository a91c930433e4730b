#include "heed/train/estimate.h"

#include <sys/resource.h>

#include <algorithm>
#include <utility>

#include "heed/config/explain.h"
#include "heed/train/checkpoint.h"
#include "heed/train/loss.h"
#include "heed/train/step.h"
#include "heed/train/stopwatch.h"

namespace heed {
namespace {

/// The first step is not measured, because it warms up.
void measure_steps(Training& training, Stepper& stepper, Estimate& estimate) {
  constexpr double long_enough = 2;
  constexpr int64_t few = 3;
  constexpr int64_t many = 50;
  double seconds = 0;
  int64_t tokens = 0;
  for (int64_t step = 0; step <= many && (step <= few || seconds < long_enough); ++step) {
    const Stopwatch watch;
    const StepOutcome outcome = stepper.take({step, step * training.accumulate, 0});
    if (step > 0) {
      seconds += watch.seconds();
      tokens += outcome.tokens;
      ++estimate.measured_steps;
    }
  }
  estimate.step_seconds = seconds / static_cast<double>(estimate.measured_steps);
  estimate.tokens_per_second = static_cast<double>(tokens) / seconds;
}

/// Extrapolates from a few sentences.
void measure_validation(const Training& training, const TrainedModel& trained, const Corpus& valid,
                        const Translate& translate, Estimate& estimate) {
  constexpr int64_t few = 32;
  std::vector<Example> some;
  for (int64_t i = 0; i < std::min(few, valid.size()); ++i) {
    some.push_back(valid.text(i));
  }
  const Corpus corpus(some, trained.fields);
  Stopwatch watch;
  corpus_loss(*trained.model, corpus, few);
  estimate.validation_seconds =
      watch.seconds() * static_cast<double>(valid.size()) / static_cast<double>(corpus.size());
  if (training.judges_text()) {
    const Validator validator(training, valid, translate);
    const std::vector<std::string> sources = validator.sources(few);
    watch = Stopwatch();
    translate(sources);
    estimate.validation_seconds += watch.seconds() * static_cast<double>(validator.decoded()) /
                                   static_cast<double>(sources.size());
  }
}

uint64_t most_resident_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace

Estimate estimate_run(const Json& data, Training& training, TrainedModel& trained,
                      const Corpus& train, const Corpus& valid, const Translate& translate) {
  Estimate estimate;
  const Validator validator(training, valid, translate);  // it refuses what the run would refuse
  const int64_t curriculum = std::exchange(training.batches.curriculum.steps, 0);
  Stepper stepper(training, *trained.model, train);  // of all examples, as most of the run is
  training.batches.curriculum.steps = curriculum;
  estimate.parameters = count_parameters(*trained.model);
  estimate.steps = training.steps;
  measure_steps(training, stepper, estimate);
  if (validator.is_there()) {
    const int64_t rest = training.steps % training.validate_every == 0 ? 0 : 1;
    estimate.validations = training.steps / training.validate_every + rest;
    measure_validation(training, trained, valid, translate, estimate);
  }
  const RunSettings settings{data, config_of(training)};
  estimate.model_bytes = size_of_safetensors(model_contents(trained));
  estimate.checkpoint_bytes =
      size_of_safetensors(checkpoint_contents(trained, training, {}, settings));
  estimate.disk_bytes = 2 * estimate.model_bytes +
                        static_cast<uint64_t>(training.keep + 1) * estimate.checkpoint_bytes;
  estimate.memory_bytes = most_resident_bytes();
  return estimate;
}

}  // namespace heed
