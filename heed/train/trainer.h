// The training loop: steps, validation, early stopping, checkpoints, exact resume.
//
// A run lives in a folder (run_folder.h). It resumes by itself from the newest checkpoint there
// that is whole, and its weights are then, bit for bit, those of a run that never stopped.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heed/base/interrupt.h"
#include "heed/base/json.h"
#include "heed/base/log.h"
#include "heed/base/progress.h"
#include "heed/data/corpus.h"
#include "heed/metric/metric.h"
#include "heed/model/model_file.h"
#include "heed/train/checkpoint.h"
#include "heed/train/clip.h"
#include "heed/train/metrics_log.h"
#include "heed/train/run_folder.h"
#include "heed/train/training.h"

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

struct TrainOptions {
  std::string run;  // the folder
  Json data;        // the data's settings: a resumed run must have the same
  /// Source texts → outputs by greedy search; needed where a metric other than the loss judges.
  std::function<std::vector<std::string>(std::span<const std::string>)> translate = {};
  /// The exit code of an interrupt that asks the run to save and stop; 0: none has come.
  std::function<int()> interrupt = interrupt_exit_code;
  std::function<void(const StepReport&)> on_step = [](const StepReport&) {};
  /// What is worth a line: resumed, validated, skipped, stopped and why.
  std::function<void(const std::string&)> say = [](const std::string& line) {
    log_info("{}", line);
  };
};

enum class Ending { finished, stopped_early, interrupted };

struct TrainReport {
  Ending ending = Ending::finished;
  std::string why;
  int exit_code = 0;  // where interrupted: 130 or 143
  RunState state;
  std::optional<std::string> checkpoint;  // the last one written or read
};

class Trainer {
 public:
  static constexpr int64_t most_skipped_in_a_row = 5;

  /// The model is built, and its vocabularies are the corpora's; `valid` may be empty. All must
  /// outlive the trainer.
  Trainer(TrainOptions options, Training& training, Translator& translator, const Corpus& train,
          const Corpus& valid);

  /// Until the run ends, for whatever reason but an Error: Fault::diverged after five steps in a
  /// row whose loss or gradient is not finite, Fault::disk where saving fails; either way the last
  /// checkpoint is whole.
  TrainReport run();

 private:
  void resume();
  void take_step();
  void skip_step(double loss, const GradientNorm& norm);
  void report_step(double seconds, int64_t tokens);
  void log_window();
  void validate();
  double score() const;
  bool has_gained(double score) const;
  void save();
  void write_model(const std::string& score) const;
  bool validates() const;
  bool has_lost_patience() const;
  TrainReport report(Ending ending, std::string why);

  TrainOptions options_;
  Training& training_;
  Translator& translator_;
  const Corpus& train_;
  const Corpus& valid_;
  RunSettings settings_;
  std::unique_ptr<Metric> metric_;  // null: the loss judges
  RunFolder folder_;
  Checkpoints checkpoints_;
  Batches batches_;
  std::vector<NamedParameter> parameters_;
  RunState state_;
  std::optional<MetricsLog> log_;
  std::optional<std::string> checkpoint_;
  int64_t saved_step_ = -1;
  StepReport shown_;
  double tokens_per_second_ = 0;  // a moving average
  double valid_loss_ = 0;
  std::optional<Progress> progress_;
};

}  // namespace heed
