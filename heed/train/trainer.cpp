#include "heed/train/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "heed/base/error.h"
#include "heed/metric/metrics.h"
#include "heed/nn/precision.h"
#include "heed/nn/settings.h"
#include "heed/train/loss.h"

namespace heed {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

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

/// What the data was, in full: its settings, and a hash of what they led to.
Json data_of(const Json& settings, const Corpus& train) {
  Json data = Json::object();
  data.set("settings", settings);
  data.set("train_hash", train.hash());
  return data;
}

}  // namespace

Trainer::Trainer(TrainOptions options, Training& training, Translator& translator,
                 const Corpus& train, const Corpus& valid)
    : options_(std::move(options)),
      training_(training),
      translator_(translator),
      train_(train),
      valid_(valid),
      settings_{data_of(options_.data, train), config_of(training)},
      folder_(options_.run),
      checkpoints_(folder_.checkpoints(), training.keep),
      batches_(train, training.batch_options()),
      parameters_(distinct_parameters_of(*translator.model)) {
  if (training_.metric != "loss") {
    metric_ = metrics().make(training_.metric);
    metric_->set({.tokenise = training_.metric_tokens});
    if (metric_->reads_links()) {
      fail(Fault::usage,
           "train: saw the metric {}, which compares alignments, needs one that compares text; "
           "choose another",
           training_.metric);
    }
    require(options_.translate != nullptr,
            "train: saw the metric {} and nothing that translates, needs a search; pass one",
            training_.metric);
  }
  if (training_.patience > 0 && !validates()) {
    fail(Fault::usage,
         "train: saw patience {} and no validation, needs both; give validation data and "
         "validate_every, or set patience to 0",
         training_.patience);
  }
  if (training_.precision != "f32") {
    set_precision(*translator_.model, precision_named(training_.precision));
  }
  training_.optimiser->attach(parameters_);
}

TrainReport Trainer::run() {
  resume();
  log_.emplace(folder_.metrics(), state_.step);
  progress_.emplace(
      ProgressOptions{.label = "train", .total = training_.steps, .already_done = state_.step});
  while (state_.step < training_.steps && !has_lost_patience()) {
    take_step();
    const bool is_last = state_.step == training_.steps;
    if (state_.step % training_.log_every == 0 || is_last) {
      log_window();
    }
    if (validates() && (state_.step % training_.validate_every == 0 || is_last)) {
      validate();
    }
    if (state_.step % training_.save_every == 0 || is_last || has_lost_patience()) {
      save();
    }
    if (const int code = options_.interrupt(); code != 0 && !is_last && !has_lost_patience()) {
      save();
      TrainReport stopped =
          report(Ending::interrupted,
                 fmt::format("interrupted after step {}; saved as {}", state_.step, *checkpoint_));
      stopped.exit_code = code;
      return stopped;
    }
  }
  if (has_lost_patience()) {
    return report(
        Ending::stopped_early,
        fmt::format("{} has not gained for {} validations: the best was {} at step {}",
                    training_.metric, state_.without_gain,
                    state_.best ? fmt::format("{:.4g}", *state_.best) : "none that is finite",
                    state_.best_step));
  }
  return report(Ending::finished, fmt::format("all {} steps are done", training_.steps));
}

TrainReport Trainer::report(Ending ending, std::string why) {
  progress_.reset();
  options_.say(why);
  return {ending, std::move(why), 0, state_, checkpoint_};
}

bool Trainer::validates() const { return training_.validate_every > 0 && valid_.size() > 0; }

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
  state_ =
      resume_from(found->file, translator_, *training_.optimiser, settings_, found->path, changes);
  checkpoint_ = found->path;
  saved_step_ = state_.step;
  options_.say(fmt::format("resuming after step {} from {}", state_.step, found->path));
  for (const std::string& change : changes) {
    options_.say("going on with another setting: " + change);
  }
}

void Trainer::take_step() {
  const auto start = Clock::now();
  const Batch batch =
      make_batch(train_.pairs(batches_.at(state_.step)), translator_.model->place());
  // Step 0 belongs to the weights' first values.
  Pass pass =
      Pass::training(static_cast<uint64_t>(training_.seed), static_cast<uint64_t>(state_.step) + 1);
  for (const NamedParameter& parameter : parameters_) {
    parameter.tensor->clear_gradient();
  }
  const Tensor loss =
      teacher_forcing_loss(*translator_.model, batch, training_.label_smoothing, pass);
  const double value = loss.item();
  GradientNorm norm;
  if (std::isfinite(value)) {
    loss.backward();
    norm = gradient_norm(parameters_);
  }
  shown_.learning_rate = training_.learning_rate(state_.step);
  shown_.gradient_norm = norm.norm;
  shown_.epoch = batches_.epoch_of(state_.step);
  ++state_.step;
  state_.tokens += batch.target_tokens();
  if (!std::isfinite(value) || !norm.is_finite()) {
    skip_step(value, norm);
  } else {
    if (training_.clip > 0) {
      clip_gradients(parameters_, norm, training_.clip);
    }
    training_.optimiser->step(shown_.learning_rate);
    state_.skipped_in_a_row = 0;
    state_.window_loss += value;
    ++state_.window_steps;
  }
  report_step(seconds_since(start), batch.target_tokens());
}

void Trainer::skip_step(double loss, const GradientNorm& norm) {
  ++state_.skipped;
  ++state_.skipped_in_a_row;
  const std::string what = norm.is_finite() ? fmt::format("a loss of {}", loss)
                                            : "a gradient that is not finite in " + norm.first_bad;
  if (state_.skipped_in_a_row >= most_skipped_in_a_row) {
    fail(Fault::diverged,
         "train: saw {} at step {}, the {}th step in a row that is not finite; lower the learning "
         "rate, warm up longer or clip harder; the last checkpoint is {}",
         what, state_.step, state_.skipped_in_a_row, checkpoint_ ? *checkpoint_ : "none");
  }
  options_.say(fmt::format("skipping step {}: saw {} ({} skipped so far)", state_.step, what,
                           state_.skipped));
}

void Trainer::report_step(double seconds, int64_t tokens) {
  tokens_per_second_ = moved(tokens_per_second_, static_cast<double>(tokens) / seconds);
  shown_.step = state_.step;
  shown_.steps = training_.steps;
  shown_.loss = state_.window_loss / static_cast<double>(std::max<int64_t>(1, state_.window_steps));
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
  line.set("loss", state_.window_steps > 0 ? Json(shown_.loss) : Json());
  line.set("learning_rate", shown_.learning_rate);
  line.set("gradient_norm",
           std::isfinite(shown_.gradient_norm) ? Json(shown_.gradient_norm) : Json());
  line.set("skipped", state_.skipped);
  line.set("tokens_per_second", shown_.tokens_per_second);
  log_->add(line);
  state_.window_loss = 0;
  state_.window_steps = 0;
}

double Trainer::score() const {
  if (!metric_) {
    return valid_loss_;
  }
  const int64_t count = training_.validate_sentences > 0
                            ? std::min(training_.validate_sentences, valid_.size())
                            : valid_.size();
  std::vector<std::string> sources;
  std::vector<References> references;
  for (int64_t i = 0; i < count; ++i) {
    sources.push_back(valid_.text(i).source);
    references.push_back({valid_.text(i).target});
  }
  return metric_->score(options_.translate(sources), references);
}

bool Trainer::has_gained(double score) const {
  if (!std::isfinite(score)) {
    return false;
  }
  const double gain = metric_ && metric_->higher_is_better()
                          ? score - state_.best.value_or(score - 1 - training_.min_gain)
                          : state_.best.value_or(score + 1 + training_.min_gain) - score;
  return gain > training_.min_gain;
}

void Trainer::validate() {
  const Pause pause(*progress_);
  constexpr int64_t usual_sentences = 64;
  valid_loss_ =
      corpus_loss(*translator_.model, valid_,
                  training_.batch_sentences > 0 ? training_.batch_sentences : usual_sentences);
  const double value = score();
  const bool gained = has_gained(value);
  if (gained) {
    state_.best = value;
    state_.best_step = state_.step;
    state_.without_gain = 0;
    write_model(fmt::format("{} {:.6g}", training_.metric, value));
  } else {
    ++state_.without_gain;
  }
  Json line = Json::object();
  line.set("step", state_.step);
  line.set("valid_loss", std::isfinite(valid_loss_) ? Json(valid_loss_) : Json());
  line.set("metric", training_.metric);
  line.set("score", std::isfinite(value) ? Json(value) : Json());
  line.set("best", gained);
  log_->add(line);
  const std::string judged =
      metric_ ? fmt::format(", {} {:.4g}", training_.metric, value) : std::string();
  options_.say(fmt::format(
      "step {}: validation loss {:.4g}{}, {}", state_.step, valid_loss_, judged,
      gained ? std::string("the best so far")
             : fmt::format("no gain for {} (best {:.4g} at step {})", state_.without_gain,
                           state_.best.value_or(value), state_.best_step)));
}

void Trainer::save() {
  if (saved_step_ == state_.step) {
    return;
  }
  const Pause pause(*progress_);
  if (!validates()) {
    write_model("");
  }
  checkpoint_ = checkpoints_.save(
      state_.step, checkpoint_contents(translator_, *training_.optimiser, state_, settings_));
  saved_step_ = state_.step;
}

void Trainer::write_model(const std::string& score) const {
  SafetensorsFile contents = model_contents(translator_);
  contents.metadata["about.step"] = std::to_string(state_.step);
  if (!score.empty()) {
    contents.metadata["about.score"] = score;
  }
  write_safetensors(folder_.model(), contents);
}

}  // namespace heed
