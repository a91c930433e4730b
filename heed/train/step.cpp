#include "heed/train/step.h"

#include <array>
#include <cmath>
#include <utility>

#include "heed/nn/precision.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/weight.h"
#include "heed/train/gradient_tree.h"

namespace heed {

namespace {

void write_random_step(const Tensor& to, uint64_t step) {
  const std::array words = {static_cast<uint32_t>(step), static_cast<uint32_t>(step >> 32)};
  to.backend().upload(to.view(), words.data());
}

}  // namespace

bool StepOutcome::is_finite() const { return std::isfinite(loss) && norm.is_finite(); }

std::string StepOutcome::trouble() const {
  return std::isfinite(loss) ? "a gradient that is not finite in " + norm.first_bad
         : std::isnan(loss)  ? std::string("a loss that is not a number")
                             : fmt::format("a loss of {}", loss);
}

Stepper::Stepper(Training& training, Model& model, const Corpus& train)
    : training_(training),
      model_(model),
      batches_(train, training.batch_options(), model.place()),
      parameters_(trained_parameters_of(model)),
      random_step_(Tensor::zeros({2}, model.place().with(DType::i32))) {
  if (training_.precision != Precision::f32) {
    set_precision(model_, training_.precision);
  }
  training_.objectives.attach(model);
  training_.objectives.see(train);
  training_.feed->check(model);
  training_.optimiser->attach(parameters_);
  training_.average->attach(parameters_);
}

Stepper::StepBatches Stepper::batches_from(int64_t first) {
  StepBatches step{first, 0, 0, {}};
  for (int64_t k = 0; k < training_.accumulate; ++k) {
    StepBatch next = batches_.at(first + k);
    step.epoch = k == 0 ? next.epoch : step.epoch;
    step.batches.push_back(std::move(next.batch).uploaded());
    step.tokens += step.batches.back().target_tokens();
  }
  return step;
}

void Stepper::prepare_next(const StepStart& start) {
  if (start.step + 1 >= training_.steps) {
    return;
  }
  try {
    next_ = batches_from(start.batches + training_.accumulate);
  } catch (...) {
    next_ = {};
  }
}

std::vector<Stepper::BatchLosses> Stepper::gather(const StepStart& start, const StepBatches& step) {
  const FixedWeights fixed;
  const std::vector<Batch>& batches = step.batches;
  const auto seed = static_cast<uint64_t>(training_.seed);
  const RunProgress progress = progress_at(start);
  const std::unique_ptr<Feed> feed = training_.feed->at(progress);
  GradientTree gradients(parameters_);
  std::vector<BatchLosses> all;
  for (size_t k = 0; k < batches.size(); ++k) {
    // Number 0 is used for the initial weights.
    write_random_step(random_step_, static_cast<uint64_t>(start.batches) + k + 1);
    Pass pass = Pass::training(seed, random_step_);
    const RandomKey key{seed, static_cast<uint64_t>(start.batches) + k + 1, 0};
    const auto losses = training_.objectives(
        {model_, batches[k], progress, training_.label_smoothing, feed.get(), key}, pass);
    const double share =
        static_cast<double>(batches[k].target_tokens()) / static_cast<double>(step.tokens);
    const Tensor loss = batches.size() > 1 ? losses.total * share : losses.total;
    loss.backward();
    gradients.take();
    all.push_back({share, {loss.detached()}});
    all.back().numbers.insert(all.back().numbers.end(), losses.each.begin(), losses.each.end());
  }
  gradients.give();
  return all;
}

void Stepper::read(std::span<const BatchLosses> batches, StepOutcome& outcome) const {
  std::vector<Tensor> numbers;
  for (const BatchLosses& batch : batches) {
    numbers.insert(numbers.end(), batch.numbers.begin(), batch.numbers.end());
  }
  outcome.norm = gradient_norm(parameters_, numbers);
  outcome.objectives.assign(batches.front().numbers.size() - 1, 0);
  auto next = outcome.norm.beside.begin();
  for (const BatchLosses& batch : batches) {
    outcome.loss += *next++;
    for (double& objective : outcome.objectives) {
      objective += batch.share * *next++;
    }
  }
}

RunProgress Stepper::progress_at(const StepStart& start) const {
  return {start.step, training_.steps, start.falls};
}

StepOutcome Stepper::take(const StepStart& start) {
  StepOutcome outcome;
  outcome.learning_rate = training_.learning_rate(progress_at(start));
  for (const NamedParameter& parameter : parameters_) {
    parameter.tensor->clear_gradient();
  }
  training_.objectives.begin();
  StepBatches step = std::exchange(next_, {});
  if (step.first != start.batches) {
    step = batches_from(start.batches);
  }
  outcome.epoch = step.epoch;
  outcome.tokens = step.tokens;
  const std::vector<BatchLosses> losses = gather(start, std::exchange(step, {}));
  prepare_next(start);
  read(losses, outcome);
  if (!outcome.is_finite()) {
    return outcome;
  }
  const double scale = training_.clip > 0 ? clip_factor(outcome.norm, training_.clip) : 1;
  training_.optimiser->step(outcome.learning_rate, scale);
  training_.average->follow(start.step + 1);
  training_.objectives.follow();
  return outcome;
}

}  // namespace heed
