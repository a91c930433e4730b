#include "heed/train/trainer.h"

#include <utility>

#include "heed/base/error.h"
#include "heed/config/explain.h"
#include "heed/train/stopwatch.h"

namespace heed {
namespace {

/// Marks validation and saving, which do not count for the rate of training.
class Pause {
 public:
  explicit Pause(const RunHooks& hooks) : hooks_(hooks) { hooks_.on_pause(true); }
  ~Pause() { hooks_.on_pause(false); }
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;

 private:
  const RunHooks& hooks_;
};

}  // namespace

Trainer::Trainer(TrainOptions options, Training& training, TrainedModel& trained,
                 const Corpus& train, const Corpus& valid)
    : options_(std::move(options)),
      training_(training),
      trained_(trained),
      folder_(options_.claimed ? options_.claimed : std::make_shared<RunFolder>(options_.run)),
      validator_(training, valid, options_.translate),
      patience_(training, validator_.higher_is_better()),
      stepper_(training, *trained.model, train),
      keeper_(*folder_, training, trained, run_settings(options_.data, train, training),
              options_.hooks) {}

TrainReport Trainer::run() {
  state_ = keeper_.resume(std::exchange(options_.found, std::nullopt));
  journal_.emplace(*folder_, training_, options_.hooks, state_, owes_validation());
  options_.hooks.on_start(state_.step, training_.steps);
  while (!is_over()) {
    if (!owes_validation()) {
      take_step();
    }
    const bool is_judged = !owes_validation() || judge();
    if (is_judged && (state_.step % training_.save_every == 0 || is_over())) {
      save(is_over());
    }
    const int code = options_.hooks.interrupt();
    if (!is_judged || (code != 0 && !is_over())) {
      return interrupted(code);
    }
  }
  journal_->close();
  TrainReport ended =
      patience_.is_lost(state_.gains)
          ? report(Ending::stopped_early, patience_.reason(state_.gains, state_.step))
          : report(Ending::finished, fmt::format("all {} steps are done", training_.steps));
  check_there_is_a_model();
  return ended;
}

void Trainer::check_there_is_a_model() const {
  if (validator_.is_there() && state_.validated > 0 && !state_.gains.best) {
    fail(Fault::diverged,
         "train: no validation was finite, so there is no model; lower the learning rate, warm up "
         "longer or clip harder, and start over in another folder (or with --fresh); the last "
         "checkpoint is {}",
         keeper_.checkpoint().value_or("none"));
  }
}

bool Trainer::is_over() const {
  return patience_.is_lost(state_.gains) || (state_.step >= training_.steps && !owes_validation());
}

void Trainer::take_step() {
  const Stopwatch watch;
  const StepOutcome outcome = stepper_.take({state_.step, state_.batches, state_.gains.falls});
  ++state_.step;
  state_.batches += training_.accumulate;
  state_.tokens += outcome.tokens;
  if (outcome.is_finite()) {
    state_.skipped_in_a_row = 0;
    state_.window.add(outcome.loss, outcome.objectives);
  } else {
    count_skipped(outcome);
  }
  journal_->add_step(outcome, watch.seconds(), state_);
}

void Trainer::count_skipped(const StepOutcome& outcome) {
  ++state_.skipped;
  ++state_.skipped_in_a_row;
  if (state_.skipped_in_a_row >= training_.most_skipped) {
    fail(Fault::diverged,
         "train: {} at step {}, now {} in a row that are not finite; lower the learning rate, warm "
         "up longer or clip harder; the last checkpoint is {}",
         outcome.trouble(), state_.step, state_.skipped_in_a_row,
         keeper_.checkpoint().value_or("none"));
  }
  journal_->add_skipped(state_, outcome.trouble());
}

bool Trainer::owes_validation() const {
  const bool is_due =
      training_.validate_every > 0 &&
      (state_.step % training_.validate_every == 0 || state_.step == training_.steps);
  return validator_.is_there() && is_due && state_.validated < state_.step;
}

bool Trainer::judge() {
  const Pause pause(options_.hooks);
  const MeanInPlace mean(*training_.average);
  const auto goes_on = [this] { return options_.hooks.interrupt() == 0; };
  const std::optional<Judgement> judgement = validator_.judge(*trained_.model, goes_on);
  if (!judgement) {
    return false;
  }
  const Patience::Verdict verdict = patience_.judge(state_.gains, judgement->score, state_.step);
  state_.validated = state_.step;
  if (verdict.gained) {
    const std::string how = training_.judges_text() ? summary(training_.search) : "";
    keeper_.hold_model(state_.step, fmt::format("{} {:.6g}{}", training_.metric, judgement->score,
                                                how.empty() ? "" : " (" + how + ")"));
    keeper_.write_model();
  }
  journal_->add_validation(*judgement, verdict, state_);
  journal_->add_samples(validator_, options_.show, state_.step);
  return true;
}

void Trainer::save(bool must) {
  if (keeper_.has_saved(state_)) {
    return;
  }
  const Pause pause(options_.hooks);
  if (!validator_.is_there()) {
    const MeanInPlace mean(*training_.average);
    keeper_.hold_model(state_.step, "");
  }
  keeper_.save(state_, must);
}

TrainReport Trainer::interrupted(int code) {
  save(true);
  TrainReport stopped = report(
      Ending::interrupted,
      fmt::format("interrupted after step {}; saved as {}", state_.step, *keeper_.checkpoint()));
  stopped.exit_code = code;
  return stopped;
}

TrainReport Trainer::report(Ending ending, std::string why) {
  options_.hooks.say(why);
  return {ending, std::move(why), 0, state_, keeper_.checkpoint()};
}

}  // namespace heed
