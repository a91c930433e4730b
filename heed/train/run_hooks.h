// How a run communicates with its caller. By default it reports nothing and is not interrupted.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace heed {

/// What is reported after a step.
struct StepReport {
  int64_t step = 0;  // steps done
  int64_t steps = 0;
  int64_t epoch = 0;
  double loss = 0;  // the mean since the last line of metrics.jsonl
  double learning_rate = 0;
  double gradient_norm = 0;
  double tokens_per_second = 0;  // target tokens, without the time of validation and saving
};

struct RunHooks {
  /// The exit code of an interrupt, which makes the run save and stop; 0 if there was none.
  std::function<int()> interrupt = [] { return 0; };
  /// Called before the first step with the number of steps done and the number of all steps.
  std::function<void(int64_t done, int64_t steps)> on_start = [](int64_t, int64_t) {};
  std::function<void(const StepReport&)> on_step = [](const StepReport&) {};
  /// Called with true when validation or saving begins, and with false when it ends.
  std::function<void(bool)> on_pause = [](bool) {};
  /// Called with messages: resumed, validated, skipped, stopped and why.
  std::function<void(const std::string&)> say = [](const std::string&) {};
  /// Called with warnings, which should be shown even if messages are not: a full disk.
  std::function<void(const std::string&)> warn = [](const std::string&) {};
};

}  // namespace heed
