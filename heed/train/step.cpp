#include "heed/train/step.h"

#include <cmath>

#include "heed/nn/precision.h"
#include "heed/ops/arithmetic.h"
#include "heed/train/loss.h"

namespace heed {

bool StepOutcome::is_finite() const { return std::isfinite(loss) && norm.is_finite(); }

Stepper::Stepper(Training& training, Model& model, const Corpus& train)
    : training_(training),
      model_(model),
      batches_(train, training.batch_options()),
      parameters_(distinct_parameters_of(model)) {
  if (training_.precision != "f32") {
    set_precision(model_, precision_named(training_.precision));
  }
  training_.optimiser->attach(parameters_);
  training_.average->attach(parameters_);
}

bool Stepper::gather(const StepPlace& place, StepOutcome& outcome) {
  std::vector<Batch> batches;
  for (int64_t k = 0; k < training_.accumulate; ++k) {
    const StepPairs next = batches_.at(place.batch + k);
    outcome.epoch = k == 0 ? next.epoch : outcome.epoch;
    batches.push_back(make_batch(next.pairs, model_.place()));
    outcome.tokens += batches.back().target_tokens();
  }
  const auto seed = static_cast<uint64_t>(training_.seed);
  for (size_t k = 0; k < batches.size(); ++k) {
    // Number 0 belongs to the weights' first values.
    Pass pass = Pass::training(seed, static_cast<uint64_t>(place.batch) + k + 1);
    Tensor loss = teacher_forcing_loss(model_, batches[k], training_.label_smoothing, pass);
    if (batches.size() > 1) {
      loss = loss * (static_cast<double>(batches[k].target_tokens()) /
                     static_cast<double>(outcome.tokens));
    }
    outcome.loss += loss.item();
    if (!std::isfinite(outcome.loss)) {
      return false;
    }
    loss.backward();
  }
  return true;
}

StepOutcome Stepper::take(const StepPlace& place) {
  StepOutcome outcome;
  outcome.learning_rate = training_.learning_rate({place.step, training_.steps, place.falls});
  for (const NamedParameter& parameter : parameters_) {
    parameter.tensor->clear_gradient();
  }
  if (gather(place, outcome)) {
    outcome.norm = gradient_norm(parameters_);
  }
  if (!outcome.is_finite()) {
    return outcome;
  }
  if (training_.clip > 0) {
    clip_gradients(parameters_, outcome.norm, training_.clip);
  }
  training_.optimiser->step(outcome.learning_rate);
  training_.average->follow(place.step + 1);
  return outcome;
}

}  // namespace heed
