#include "heed/train/estimate.h"

#include <sys/resource.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "heed/config/explain.h"
#include "heed/tensor/tape.h"
#include "heed/train/checkpoint.h"
#include "heed/train/loss.h"
#include "heed/train/step.h"
#include "heed/train/stopwatch.h"

namespace heed {
namespace {

constexpr int64_t few_steps = 3;

/// What a step takes.
struct StepCost {
  double seconds = 0;
  double tokens_per_second = 0;
  int64_t measured = 0;
};

/// The first steps are not measured: one, because it warms up, or, if sources come again, the few that
/// are then taken again and again, so that what the front keeps of their sources is there. Nor is the
/// first of these few each time, whose batch was not prepared in advance as in a run.
StepCost cost_of_steps(const Training& training, Stepper& stepper, bool come_again) {
  constexpr double long_enough = 2;
  constexpr int64_t many = 50;
  const int64_t unmeasured = come_again ? few_steps : 1;
  double seconds = 0;
  int64_t tokens = 0;
  StepCost cost;
  for (int64_t taken = 0; taken < unmeasured + many; ++taken) {
    const int64_t step = come_again ? taken % few_steps : few_steps + taken;
    const Stopwatch watch;
    const StepOutcome outcome = stepper.take({step, step * training.accumulate, 0});
    const bool is_prepared = !come_again || step > 0;
    if (taken >= unmeasured && is_prepared) {
      seconds += watch.seconds();
      tokens += outcome.tokens;
      ++cost.measured;
    }
    if (cost.measured >= few_steps && seconds >= long_enough) {
      break;
    }
  }
  cost.seconds = seconds / static_cast<double>(cost.measured);
  cost.tokens_per_second = static_cast<double>(tokens) / seconds;
  return cost;
}

/// `kept_share` of what the front computes is kept; the rest is computed in every step.
void measure_steps(const Training& training, Stepper& stepper, double kept_share,
                   Estimate& estimate) {
  const StepCost cost = cost_of_steps(training, stepper, kept_share > 0);
  estimate.measured_steps = cost.measured;
  estimate.step_seconds = cost.seconds;
  if (kept_share > 0 && kept_share < 1) {
    const StepCost fresh = cost_of_steps(training, stepper, false);
    estimate.measured_steps += fresh.measured;
    estimate.step_seconds += (1 - kept_share) * std::max(0.0, fresh.seconds - cost.seconds);
  }
  estimate.tokens_per_second = cost.tokens_per_second * cost.seconds / estimate.step_seconds;
}

/// Examples of one source that stand together share its bytes.
int64_t count_sources(const Corpus& corpus) {
  std::unordered_set<const std::byte*> seen;
  for (int64_t i = 0; i < corpus.size(); ++i) {
    seen.insert(corpus.source(i).data());
  }
  return static_cast<int64_t>(seen.size());
}

/// Extrapolates from the time that the front takes for a few sources at first and again, and from what
/// it keeps of them. Every variant of a training source is computed. Returns the share of all that fits
/// into what the front may keep.
double measure_once(const TrainedModel& trained, const Corpus& train, const Corpus& valid,
                    Estimate& estimate) {
  const Front& front = trained.model->front();
  const int64_t few = std::min<int64_t>(32, train.size());
  std::vector<int64_t> which;
  std::unordered_set<const std::byte*> sources;
  for (int64_t i = 0; i < few; ++i) {
    which.push_back(i * train.size() / few);
    sources.insert(train.source(which.back()).data());
  }
  const Batch batch = make_batch(train.items(which), trained.model->place());
  const auto seconds_of_front = [&] {
    const NoGrad no_gradients;
    Pass pass = Pass::serving();
    const Stopwatch watch;
    front(batch.source, pass);
    return watch.seconds();
  };
  const double at_first = seconds_of_front();
  const double again = seconds_of_front();
  const int64_t all =
      count_sources(train) * trained.fields.source->variants() + count_sources(valid);
  const double times = static_cast<double>(all) / static_cast<double>(sources.size());
  const KeptFeatures kept = front.kept().value_or(KeptFeatures{});
  if (kept.sources == 0) {
    return 0;
  }
  const double needed = static_cast<double>(kept.bytes) / static_cast<double>(kept.sources) *
                        static_cast<double>(all);
  const double share = std::min(1.0, static_cast<double>(kept.most_bytes) / needed);
  estimate.once_seconds = std::max(0.0, at_first - again) * times * share;
  estimate.kept_bytes = static_cast<uint64_t>(needed * share);
  return share;
}

/// Extrapolates from a few sentences.
void measure_validation(const Training& training, const TrainedModel& trained, const Corpus& valid,
                        const Translate& translate, bool keeps, Estimate& estimate) {
  constexpr int64_t few = 32;
  std::vector<Example> some;
  for (int64_t i = 0; i < std::min(few, valid.size()); ++i) {
    some.push_back(valid.text(i));
  }
  const Corpus corpus(some, trained.fields);
  if (keeps) {
    corpus_loss(*trained.model, corpus, few);
  }
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
  const double kept_share =
      trained.model->front().kept() ? measure_once(trained, train, valid, estimate) : 0;
  measure_steps(training, stepper, kept_share, estimate);
  if (validator.is_there()) {
    const int64_t rest = training.steps % training.validate_every == 0 ? 0 : 1;
    estimate.validations = training.steps / training.validate_every + rest;
    measure_validation(training, trained, valid, translate, kept_share == 1, estimate);
  }
  const RunSettings settings{data, config_of(training)};
  estimate.model_bytes = size_of_safetensors(model_contents(trained));
  estimate.checkpoint_bytes =
      size_of_safetensors(checkpoint_contents(trained, training, {}, settings));
  estimate.disk_bytes = 2 * estimate.model_bytes +
                        static_cast<uint64_t>(training.keep + 1) * estimate.checkpoint_bytes +
                        estimate.kept_bytes;
  estimate.memory_bytes = most_resident_bytes();
  return estimate;
}

}  // namespace heed
