// A recipe to be trained, and how the run ended.
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
  double loss = 0;  // mean since the last line of metrics.jsonl
  double learning_rate = 0;
  double gradient_norm = 0;
  double tokens_per_second = 0;
};

struct TrainingRequest {
  std::string recipe = {};                 // a TOML file
  std::string text = {};                   // or, in place of a file, what it would hold
  std::vector<std::string> settings = {};  // over the recipe's, each as "training.steps=500"
  std::string folder = {};                 // of the run; one that was begun there goes on
  std::function<void(const TrainingStep&)> on_step = {};
  std::stop_token stop = {};  // the run saves itself and ends
};

enum class TrainingEnd { finished, stopped_early, cancelled };

struct TrainingResult {
  TrainingEnd end = TrainingEnd::finished;
  std::string why;             // a sentence
  int64_t step = 0;            // steps done
  std::optional<double> best;  // of the metric that judges, where there was a validation
  std::string model;           // the file of the best model; empty while there is none
};

}  // namespace heed
