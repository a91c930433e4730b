#include "heed/train/run_state.h"

#include "heed/config/limits.h"

namespace heed {
namespace {

constexpr int64_t most_tokens = int64_t{1} << 62;

}  // namespace

void LossWindow::add(double one, const std::vector<double>& of_objectives) {
  if (objectives.size() != of_objectives.size()) {  // the run continues with other objectives
    *this = {};
    objectives.resize(of_objectives.size());
  }
  loss += one;
  for (size_t k = 0; k < objectives.size(); ++k) {
    objectives[k] += of_objectives[k];
  }
  ++steps;
}

Json json_of(const RunState& state) {
  const Gains& gains = state.gains;
  Json json = Json::object();
  json.set("step", state.step);
  json.set("batches", state.batches);
  json.set("tokens", state.tokens);
  json.set("skipped", state.skipped);
  json.set("skipped_in_a_row", state.skipped_in_a_row);
  json.set("window_loss", state.window.loss);
  json.set("window_steps", state.window.steps);
  if (!state.window.objectives.empty()) {
    Json each = Json::array();
    for (const double objective : state.window.objectives) {
      each.push(objective);
    }
    json.set("window_objectives", each);
  }
  json.set("best", gains.best ? Json(*gains.best) : Json());
  json.set("best_step", gains.best_step);
  json.set("without_gain", gains.without_gain);
  json.set("validated", state.validated);
  json.set("falls", gains.falls);
  json.set("since_fall", gains.since_fall);
  return json;
}

int64_t integer_or(const JsonReader& json, std::string_view key, int64_t otherwise, int64_t most) {
  const auto found = json.find(key);
  return found ? found->integer(0, most) : otherwise;
}

RunState run_state_of(const JsonReader& json) {
  RunState state;
  Gains& gains = state.gains;
  state.step = json.at("step").integer(0, most_steps);
  state.tokens = json.at("tokens").integer(0, most_tokens);
  state.skipped = json.at("skipped").integer(0, state.step);
  state.skipped_in_a_row = json.at("skipped_in_a_row").integer(0, state.skipped);
  state.window.loss = json.at("window_loss").number();
  state.window.steps = json.at("window_steps").integer(0, state.step);
  if (const auto each = json.find("window_objectives")) {
    for (size_t k = 0; k < each->size(); ++k) {
      state.window.objectives.push_back(each->at(k).number());
    }
  }
  if (!json.at("best").is_null()) {
    gains.best = json.at("best").number();
  }
  gains.best_step = json.at("best_step").integer(0, state.step);
  gains.without_gain = json.at("without_gain").integer(0, state.step);
  state.batches = integer_or(json, "batches", state.step, state.step * most_accumulated);
  state.validated = integer_or(json, "validated", state.step, state.step);
  gains.falls = integer_or(json, "falls", 0, state.step);
  gains.since_fall = integer_or(json, "since_fall", 0, state.step);
  return state;
}

}  // namespace heed
