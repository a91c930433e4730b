#include "heed/train/journal.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace heed {
namespace {

/// A moving average in which each new value has the weight 0.1 and the first has 1.
double moved(double average, double value) {
  return average == 0 ? value : 0.9 * average + 0.1 * value;
}

/// "1.25", "inf", "not a number": the sign of the last says nothing.
std::string said(double value) {
  return std::isnan(value) ? std::string("not a number") : fmt::format("{:.4g}", value);
}

/// JSON has no infinities.
Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(); }

}  // namespace

Journal::Journal(const RunFolder& folder, const Training& training, const RunHooks& hooks,
                 const RunState& state, bool owes_validation)
    : training_(training), hooks_(hooks), record_(folder, state.step, owes_validation) {}

void Journal::add_step(const StepOutcome& outcome, double seconds, RunState& state) {
  shown_.step = state.step;
  shown_.steps = training_.steps;
  shown_.epoch = outcome.epoch;
  shown_.loss = state.window.loss / static_cast<double>(std::max<int64_t>(1, state.window.steps));
  shown_.learning_rate = outcome.learning_rate;
  shown_.gradient_norm = outcome.norm.norm;
  shown_.tokens_per_second =
      moved(shown_.tokens_per_second, static_cast<double>(outcome.tokens) / seconds);
  hooks_.on_step(shown_);
  if (state.step % training_.log_every == 0 || state.step == training_.steps) {
    add_window(state);
  }
}

void Journal::add_window(RunState& state) {
  const double loss = state.window.steps > 0 ? shown_.loss : NAN;
  Json line = Json::object();
  line.set("step", state.step);
  line.set("epoch", shown_.epoch);
  line.set("tokens", state.tokens);
  line.set("loss", finite(loss));
  line.set("learning_rate", shown_.learning_rate);
  line.set("gradient_norm", finite(shown_.gradient_norm));
  line.set("skipped", state.skipped);
  line.set("tokens_per_second", shown_.tokens_per_second);
  record_.add(line, {{"train/loss", loss},
                     {"train/learning_rate", shown_.learning_rate},
                     {"train/gradient_norm", shown_.gradient_norm},
                     {"train/tokens_per_second", shown_.tokens_per_second}});
  add_objectives(state);
  warn_of_trouble();
  state.window = {};
}

void Journal::add_objectives(const RunState& state) {
  const std::vector<std::string> names = training_.objectives.names();
  const std::vector<double> weights =
      training_.objectives.weights({state.step - 1, training_.steps, state.gains.falls});
  const std::vector<std::vector<std::string>> measures = training_.objectives.measure_names();
  const std::vector<double>& sums = state.window.objectives;
  const auto steps = static_cast<double>(state.window.steps);
  size_t count = names.size();
  for (const std::vector<std::string>& some : measures) {
    count += some.size();
  }
  if (sums.size() != count) {  // there is nothing to show, or the run continues with others
    return;
  }
  size_t next = names.size();  // the first measure
  for (size_t k = 0; k < names.size(); ++k) {
    const double loss = sums[k] / steps;
    Json line = Json::object();
    line.set("step", state.step);
    line.set("objective", names[k]);
    line.set("objective_loss", finite(loss));
    line.set("weight", weights[k]);
    TaggedNumbers shown = {{"train/" + names[k], loss},
                           {"train/" + names[k] + "/weight", weights[k]}};
    for (const std::string& measure : measures[k]) {
      const double value = sums[next++] / steps;
      line.set(measure, finite(value));
      shown.emplace_back("train/" + names[k] + "/" + measure, value);
    }
    record_.add(line, shown);
  }
}

void Journal::add_skipped(const RunState& state, const std::string& what) {
  hooks_.say(
      fmt::format("skipping step {}: {} ({} skipped so far)", state.step, what, state.skipped));
}

std::string Journal::sentence(const Judgement& judgement, bool gained,
                              const RunState& state) const {
  const Gains& gains = state.gains;
  const std::string judged = training_.metric == "loss"
                                 ? std::string()
                                 : fmt::format(", {} {}", training_.metric, said(judgement.score));
  const std::string verdict =
      gained        ? std::string("the best so far")
      : !gains.best ? std::string("none was finite yet")
                    : fmt::format("no gain for {} (best {} at step {})", gains.without_gain,
                                  said(*gains.best), gains.best_step);
  return fmt::format("step {}: validation loss {}{}, {}", state.step, said(judgement.loss), judged,
                     verdict);
}

void Journal::add_validation(const Judgement& judgement, const Patience::Verdict& verdict,
                             const RunState& state) {
  Json line = Json::object();
  line.set("step", state.step);
  line.set("valid_loss", finite(judgement.loss));
  line.set("metric", training_.metric);
  line.set("score", finite(judgement.score));
  line.set("best", verdict.gained);
  TaggedNumbers seen = {{"valid/loss", judgement.loss}};
  if (training_.metric != "loss") {
    seen.emplace_back("valid/" + training_.metric, judgement.score);
  }
  record_.add(line, seen);
  hooks_.say(sentence(judgement, verdict.gained, state));
  if (verdict.rate_falls) {
    hooks_.say(
        fmt::format("the learning rate falls to {:.3g}",
                    training_.learning_rate({state.step, training_.steps, state.gains.falls})));
  }
  warn_of_trouble();
}

void Journal::add_samples(const Validator& validator, const Show& show, int64_t step) {
  std::vector<std::string> sources;
  std::vector<References> references;
  for (Row& row : validator.samples(training_.samples)) {
    sources.push_back(std::move(row.source));
    references.push_back(std::move(row.targets));
  }
  if (!sources.empty() && show) {
    record_.add_samples(step, sources, references, show(sources));
    warn_of_trouble();
  }
}

void Journal::warn_of_trouble() {
  if (const std::string trouble = record_.new_trouble(); !trouble.empty()) {
    hooks_.warn(trouble + "; training continues, and the rest is written as soon as possible");
  }
}

}  // namespace heed
