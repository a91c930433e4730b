// A recipe to train, and the result of the run.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace heed {

struct TrainingStep {
  int64_t step = 0;  // steps done
  int64_t steps = 0;
  int64_t epoch = 0;
  double loss = 0;  // the mean since the last line of metrics.jsonl
  double learning_rate = 0;
  double gradient_norm = 0;
  double tokens_per_second = 0;
};

struct TrainingRequest {
  std::string recipe = {};                 // the path of a recipe, a TOML file
  std::string text = {};                   // the text of a recipe, in place of a path
  std::vector<std::string> settings = {};  // replace the recipe's, such as "training.steps=500"
  std::string folder = {};                 // of the run; a run that was stopped there goes on
  /// Called after every step. What it throws ends the training and comes out of Engine::train as it
  /// is, even if it is no heed::Error; nothing is saved then beyond the last checkpoint.
  std::function<void(const TrainingStep&)> on_step = {};
  std::stop_token stop = {};  // makes the run save a checkpoint and end
};

enum class TrainingEnd { finished, stopped_early, cancelled };

struct TrainingResult {
  TrainingEnd end = TrainingEnd::finished;
  std::string why;             // the reason, as a sentence
  int64_t step = 0;            // steps done
  std::optional<double> best;  // the best value of the recipe's metric, if there was a validation
  std::string model;           // the path of the best model, or empty
};

}  // namespace heed
