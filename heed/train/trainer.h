// The training loop: step, judge, keep, stop.
//
// A run has a folder (run_folder.h). It resumes by itself from the newest checkpoint there that is
// whole, and its weights then equal those of a run that never stopped, bit for bit.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "heed/base/json.h"
#include "heed/data/corpus.h"
#include "heed/model/file/model_file.h"
#include "heed/train/journal.h"
#include "heed/train/keeper.h"
#include "heed/train/patience.h"
#include "heed/train/run_folder.h"
#include "heed/train/run_hooks.h"
#include "heed/train/step.h"
#include "heed/train/training.h"
#include "heed/train/validator.h"

namespace heed {

struct TrainOptions {
  std::string run;                          // the folder
  std::shared_ptr<RunFolder> claimed = {};  // the same, if the caller has claimed it already
  Json data;                                // the data's settings: a resumed run must have the same
  /// The newest checkpoint, if the caller has read it already; else the run looks for it.
  std::optional<Checkpoints::Found> found = {};
  /// Needed if a metric other than the loss judges.
  Translate translate = {};
  /// Makes the contents of samples/; if unset, there are no samples.
  Show show = {};
  RunHooks hooks = {};
};

enum class Ending { finished, stopped_early, interrupted };

struct TrainReport {
  Ending ending = Ending::finished;
  std::string why;
  int exit_code = 0;  // if interrupted: 130 or 143
  RunState state;
  std::optional<std::string> checkpoint;  // the last one written or read
};

class Trainer {
 public:
  /// The model must be built, with the vocabularies of the corpora; `valid` may be empty. All must
  /// outlive the trainer.
  Trainer(TrainOptions options, Training& training, TrainedModel& trained, const Corpus& train,
          const Corpus& valid);

  /// Runs to the end, an early stop or an interrupt. Errors: Fault::diverged after `most_skipped`
  /// steps in a row whose loss or gradient is not finite, or at the end if no validation was
  /// finite, and Fault::disk if the last save fails; in each case the last checkpoint is whole. An
  /// earlier save that fails is tried again with the next.
  TrainReport run();

 private:
  bool is_over() const;
  void take_step();
  void count_skipped(const StepOutcome& outcome);
  bool owes_validation() const;
  /// False if an interrupt cut it short; then it must be done again.
  bool judge();
  /// A full disk is an Error only if this save `must` succeed.
  void save(bool must);
  /// An Error if validations were to choose a model and none could.
  void check_there_is_a_model() const;
  TrainReport interrupted(int code);
  TrainReport report(Ending ending, std::string why);

  TrainOptions options_;
  Training& training_;
  TrainedModel& trained_;
  std::shared_ptr<RunFolder> folder_;
  Validator validator_;
  Patience patience_;
  Stepper stepper_;
  Keeper keeper_;
  RunState state_;
  std::optional<Journal> journal_;
};

}  // namespace heed
