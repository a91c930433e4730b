#include "heed/train/trainer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "heed/base/error.h"
#include "heed/nn/settings.h"
#include "heed/train/stopwatch.h"

namespace heed {
namespace {

/// The average goes on by a tenth of each new value; the first is taken as it is.
double moved(double average, double value) {
  return average == 0 ? value : 0.9 * average + 0.1 * value;
}

/// Neither validation nor saving counts for the rate of training.
class Pause {
 public:
  explicit Pause(Progress& progress) : progress_(progress) { progress_.pause(); }
  ~Pause() { progress_.resume(); }
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;

 private:
  Progress& progress_;
};

/// Thrown out of a validation that an interrupt cuts short.
struct CutShort {};

/// What the data was, in full: its settings, and a hash of what they led to.
Json data_of(const Json& settings, const Corpus& train) {
  Json data = Json::object();
  data.set("settings", settings);
  data.set("train_hash", train.hash());
  return data;
}

/// JSON knows no infinities.
Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(); }

}  // namespace

Trainer::Trainer(TrainOptions options, Training& training, Translator& translator,
                 const Corpus& train, const Corpus& valid)
    : options_(std::move(options)),
      training_(training),
      translator_(translator),
      settings_{data_of(options_.data, train), config_of(training)},
      folder_(options_.run),
      checkpoints_(folder_.checkpoints(), training.keep),
      validator_(training, valid, options_.translate),
      stepper_(training, *translator.model, train),
      movers_{*training.optimiser, *training.average} {}

TrainReport Trainer::run() {
  resume();
  record_.emplace(folder_, state_.step, owes_validation());
  progress_.emplace(
      ProgressOptions{.label = "train", .total = training_.steps, .already_done = state_.step});
  while (!is_over()) {
    if (!owes_validation()) {
      take_step();
    }
    const bool is_last = state_.step == training_.steps;
    const bool is_judged = !owes_validation() || validate();
    if (is_judged && (state_.step % training_.save_every == 0 || is_over())) {
      save(is_over());
    }
    const int code = options_.interrupt();
    if (!is_judged || (code != 0 && !is_last && !has_lost_patience())) {
      return interrupted(code);
    }
  }
  record_->close();
  if (has_lost_patience()) {
    const std::string best =
        state_.best ? fmt::format("the best was {:.4g} at step {}", *state_.best, state_.best_step)
                    : std::string("none was finite");
    return report(Ending::stopped_early,
                  fmt::format("stopping early after step {}: {} has not gained for {} validations "
                              "({})",
                              state_.step, training_.metric, state_.without_gain, best));
  }
  return report(Ending::finished, fmt::format("all {} steps are done", training_.steps));
}

bool Trainer::is_over() const {
  return has_lost_patience() || (state_.step >= training_.steps && !owes_validation());
}

TrainReport Trainer::interrupted(int code) {
  save(true);
  TrainReport stopped =
      report(Ending::interrupted,
             fmt::format("interrupted after step {}; saved as {}", state_.step, *checkpoint_));
  stopped.exit_code = code;
  return stopped;
}

TrainReport Trainer::report(Ending ending, std::string why) {
  progress_.reset();
  options_.say(why);
  return {ending, std::move(why), 0, state_, checkpoint_};
}

bool Trainer::has_lost_patience() const {
  return training_.patience > 0 && state_.without_gain >= training_.patience;
}

void Trainer::resume() {
  const auto found = checkpoints_.newest();
  if (!found) {
    return;
  }
  for (const std::string& refused : found->refused) {
    options_.say("passing over a checkpoint that is not whole: " + refused);
  }
  std::vector<std::string> changes;
  state_ = resume_from(found->file, translator_, movers_, settings_, found->path, changes);
  checkpoint_ = found->path;
  saved_step_ = state_.step;
  options_.say(fmt::format("resuming after step {} from {}", state_.step, found->path));
  for (const std::string& change : changes) {
    options_.say("going on with another setting: " + change);
  }
}

void Trainer::take_step() {
  const Stopwatch watch;
  const StepOutcome outcome = stepper_.take({state_.step, state_.batches, state_.falls});
  ++state_.step;
  state_.batches += training_.accumulate;
  state_.tokens += outcome.tokens;
  if (outcome.is_finite()) {
    state_.skipped_in_a_row = 0;
    state_.window_loss += outcome.loss;
    ++state_.window_steps;
  } else {
    skip_step(outcome);
  }
  report_step(outcome, watch.seconds());
  if (state_.step % training_.log_every == 0 || state_.step == training_.steps) {
    log_window();
  }
}

void Trainer::skip_step(const StepOutcome& outcome) {
  ++state_.skipped;
  ++state_.skipped_in_a_row;
  const std::string what = outcome.norm.is_finite()
                               ? fmt::format("a loss of {}", outcome.loss)
                               : "a gradient that is not finite in " + outcome.norm.first_bad;
  if (state_.skipped_in_a_row >= training_.most_skipped) {
    fail(Fault::diverged,
         "train: saw {} at step {}, now {} in a row that are not finite; lower the learning rate, "
         "warm up longer or clip harder; the last checkpoint is {}",
         what, state_.step, state_.skipped_in_a_row, checkpoint_ ? *checkpoint_ : "none");
  }
  options_.say(fmt::format("skipping step {}: saw {} ({} skipped so far)", state_.step, what,
                           state_.skipped));
}

void Trainer::report_step(const StepOutcome& outcome, double seconds) {
  tokens_per_second_ = moved(tokens_per_second_, static_cast<double>(outcome.tokens) / seconds);
  shown_.step = state_.step;
  shown_.steps = training_.steps;
  shown_.epoch = outcome.epoch;
  shown_.loss = state_.window_loss / static_cast<double>(std::max<int64_t>(1, state_.window_steps));
  shown_.learning_rate = outcome.learning_rate;
  shown_.gradient_norm = outcome.norm.norm;
  shown_.tokens_per_second = tokens_per_second_;
  progress_->advance(1, fmt::format("epoch {} loss {:.4f} {:.0f} tokens/s lr {:.2e} norm {:.2f}",
                                    shown_.epoch, shown_.loss, shown_.tokens_per_second,
                                    shown_.learning_rate, shown_.gradient_norm));
  options_.on_step(shown_);
}

void Trainer::log_window() {
  Json line = Json::object();
  line.set("step", state_.step);
  line.set("epoch", shown_.epoch);
  line.set("tokens", state_.tokens);
  line.set("loss", state_.window_steps > 0 ? finite(shown_.loss) : Json());
  line.set("learning_rate", shown_.learning_rate);
  line.set("gradient_norm", finite(shown_.gradient_norm));
  line.set("skipped", state_.skipped);
  line.set("tokens_per_second", shown_.tokens_per_second);
  record_->add(line, {{"train/loss", state_.window_steps > 0 ? shown_.loss : NAN},
                      {"train/learning_rate", shown_.learning_rate},
                      {"train/gradient_norm", shown_.gradient_norm},
                      {"train/tokens_per_second", shown_.tokens_per_second}});
  warn_of_trouble();
  state_.window_loss = 0;
  state_.window_steps = 0;
}

bool Trainer::owes_validation() const {
  const bool is_due =
      training_.validate_every > 0 &&
      (state_.step % training_.validate_every == 0 || state_.step == training_.steps);
  return validator_.is_there() && is_due && state_.validated < state_.step;
}

bool Trainer::validate() {
  const Pause pause(*progress_);
  const MeanInPlace mean(*training_.average);
  try {
    settle(validator_.judge(*translator_.model, [this] {
      if (options_.interrupt() != 0) {
        throw CutShort{};
      }
    }));
  } catch (const CutShort&) {
    return false;
  }
  show_samples();
  warn_of_trouble();
  return true;
}

void Trainer::settle(const Judgement& judgement) {
  const bool gained = validator_.gains(judgement.score, state_.best);
  state_.validated = state_.step;
  saved_step_ = -1;  // a checkpoint of this step, where an earlier validation was cut short, is old
  state_.without_gain = gained ? 0 : state_.without_gain + 1;
  state_.since_fall = gained ? 0 : state_.since_fall + 1;
  if (gained) {
    state_.best = judgement.score;
    state_.best_step = state_.step;
    keep_model(fmt::format("{} {:.6g}", training_.metric, judgement.score));
    try_to("the best model is not saved", [this] { write_kept_model(); });
  }
  Json line = Json::object();
  line.set("step", state_.step);
  line.set("valid_loss", finite(judgement.loss));
  line.set("metric", training_.metric);
  line.set("score", finite(judgement.score));
  line.set("best", gained);
  TaggedNumbers seen = {{"valid/loss", judgement.loss}};
  if (training_.metric != "loss") {
    seen.emplace_back("valid/" + training_.metric, judgement.score);
  }
  record_->add(line, seen);
  const std::string judged = training_.metric == "loss"
                                 ? std::string()
                                 : fmt::format(", {} {:.4g}", training_.metric, judgement.score);
  options_.say(fmt::format(
      "step {}: validation loss {:.4g}{}, {}", state_.step, judgement.loss, judged,
      gained ? std::string("the best so far")
             : fmt::format("no gain for {} (best {:.4g} at step {})", state_.without_gain,
                           state_.best.value_or(judgement.score), state_.best_step)));
  if (training_.schedule->falls_after(state_.since_fall)) {
    ++state_.falls;
    state_.since_fall = 0;
    options_.say(
        fmt::format("the learning rate falls to {:.3g}",
                    training_.learning_rate({state_.step, training_.steps, state_.falls})));
  }
}

void Trainer::show_samples() {
  const int64_t count = std::min(training_.samples, validator_.decoded());
  if (count > 0 && options_.show) {
    const std::vector<std::string> sources = validator_.sources(count);
    record_->add_samples(state_.step, sources, validator_.references(count),
                         options_.show(sources));
  }
}

void Trainer::warn_of_trouble() {
  if (const std::string trouble = record_->new_trouble(); !trouble.empty()) {
    options_.warn(trouble + "; training goes on, and what could not be written waits");
  }
}

void Trainer::try_to(const char* otherwise, const std::function<void()>& write) {
  try {
    write();
  } catch (const Error& error) {
    if (error.fault() != Fault::disk) {
      throw;
    }
    options_.warn(
        fmt::format("{}: {}; training goes on, and tries again; the last checkpoint is {}",
                    otherwise, error.what(), checkpoint_ ? *checkpoint_ : "none"));
  }
}

void Trainer::save(bool must) {
  if (saved_step_ == state_.step) {
    return;
  }
  const Pause pause(*progress_);
  if (must) {
    write_checkpoint();
  } else {
    try_to(fmt::format("step {} is not saved", state_.step).c_str(),
           [this] { write_checkpoint(); });
  }
}

void Trainer::write_checkpoint() {
  if (!validator_.is_there()) {
    const MeanInPlace mean(*training_.average);
    keep_model("");
  }
  write_kept_model();  // first, or a run that resumes from this checkpoint would miss it
  checkpoint_ =
      checkpoints_.save(state_.step, checkpoint_contents(translator_, movers_, state_, settings_));
  saved_step_ = state_.step;
}

void Trainer::write_kept_model() {
  if (unsaved_model_) {
    write_safetensors(folder_.model(), *unsaved_model_);
    unsaved_model_.reset();
  }
}

void Trainer::keep_model(const std::string& score) {
  SafetensorsFile contents = model_contents(translator_);
  contents.metadata["about.step"] = std::to_string(state_.step);
  if (!score.empty()) {
    contents.metadata["about.score"] = score;
  }
  unsaved_model_ = std::move(contents);
}

}  // namespace heed
