// The training loop: steps, validation, early stopping, checkpoints, exact resume.
//
// A run lives in a folder (run_folder.h). It resumes by itself from the newest checkpoint there
// that is whole, and its weights are then, bit for bit, those of a run that never stopped.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "heed/base/interrupt.h"
#include "heed/base/json.h"
#include "heed/base/log.h"
#include "heed/base/progress.h"
#include "heed/data/corpus.h"
#include "heed/model/model_file.h"
#include "heed/train/checkpoint.h"
#include "heed/train/record.h"
#include "heed/train/run_folder.h"
#include "heed/train/step.h"
#include "heed/train/training.h"
#include "heed/train/validator.h"

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
  /// Needed where a metric other than the loss judges.
  Translate translate = {};
  /// Makes what samples/ holds; none: no samples.
  Show show = {};
  /// The exit code of an interrupt that asks the run to save and stop; 0: none has come.
  std::function<int()> interrupt = interrupt_exit_code;
  std::function<void(const StepReport&)> on_step = [](const StepReport&) {};
  /// What is worth a line: resumed, validated, skipped, stopped and why.
  std::function<void(const std::string&)> say = [](const std::string& line) {
    log_info("{}", line);
  };
  /// What is worth a line even to those who want none: a disk that is full.
  std::function<void(const std::string&)> warn = [](const std::string& line) {
    log_warning("{}", line);
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
  /// The model is built, and its vocabularies are the corpora's; `valid` may be empty. All must
  /// outlive the trainer.
  Trainer(TrainOptions options, Training& training, Translator& translator, const Corpus& train,
          const Corpus& valid);

  /// Until the run ends, for whatever reason but an Error: Fault::diverged after `most_skipped`
  /// steps in a row whose loss or gradient is not finite, Fault::disk where the last save of all
  /// fails; either way the last checkpoint is whole. An earlier save that fails is tried again at
  /// the next.
  TrainReport run();

 private:
  bool is_over() const;
  void resume();
  void take_step();
  void skip_step(const StepOutcome& outcome);
  void report_step(const StepOutcome& outcome, double seconds);
  void log_window();

  bool owes_validation() const;
  /// False where an interrupt cut it short: then it is still owed.
  bool validate();
  void settle(const Judgement& judgement);
  void show_samples();

  /// A full disk is an Error only where this save `must` succeed.
  void save(bool must);
  /// A full disk is worth a warning that begins with `otherwise`.
  void try_to(const char* otherwise, const std::function<void()>& write);
  void write_checkpoint();
  void keep_model(const std::string& score);
  void write_kept_model();
  void warn_of_trouble();
  bool has_lost_patience() const;
  TrainReport interrupted(int code);
  TrainReport report(Ending ending, std::string why);

  TrainOptions options_;
  Training& training_;
  Translator& translator_;
  RunSettings settings_;
  RunFolder folder_;
  Checkpoints checkpoints_;
  Validator validator_;
  Stepper stepper_;
  Movers movers_;
  RunState state_;
  std::optional<Record> record_;
  std::optional<std::string> checkpoint_;
  int64_t saved_step_ = -1;
  std::optional<SafetensorsFile> unsaved_model_;  // the best, while there is no room for it
  StepReport shown_;
  double tokens_per_second_ = 0;  // a moving average
  std::optional<Progress> progress_;
};

}  // namespace heed
