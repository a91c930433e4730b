// How a run speaks with whoever started it. By default it says nothing and nobody interrupts it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace heed {

/// What there is to show after a step.
struct StepReport {
  int64_t step = 0;  // steps done
  int64_t steps = 0;
  int64_t epoch = 0;
  double loss = 0;  // mean since the last line of metrics.jsonl
  double learning_rate = 0;
  double gradient_norm = 0;
  double tokens_per_second = 0;  // target tokens, validation and saving not counted
};

struct RunHooks {
  /// The exit code of an interrupt that asks the run to save and stop; 0: none has come.
  std::function<int()> interrupt = [] { return 0; };
  /// The first step is about to be taken: so many are done, of so many.
  std::function<void(int64_t done, int64_t steps)> on_start = [](int64_t, int64_t) {};
  std::function<void(const StepReport&)> on_step = [](const StepReport&) {};
  /// Training stands still while it validates or saves: true when that begins, false when it ends.
  std::function<void(bool)> on_pause = [](bool) {};
  /// What is worth a line: resumed, validated, skipped, stopped and why.
  std::function<void(const std::string&)> say = [](const std::string&) {};
  /// What is worth a line even to those who want none: a disk that is full.
  std::function<void(const std::string&)> warn = [](const std::string&) {};
};

}  // namespace heed
