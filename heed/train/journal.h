// What a run tells of itself: lines of metrics.jsonl, TensorBoard's events and samples/ (record.h),
// and English sentences for whoever watches.
#pragma once

#include <cstdint>
#include <string>

#include "heed/train/record.h"
#include "heed/train/run_hooks.h"
#include "heed/train/run_state.h"
#include "heed/train/step.h"
#include "heed/train/validator.h"

namespace heed {

class Journal {
 public:
  /// Goes on where `state` stands; all but the state must outlive it.
  Journal(const RunFolder& folder, const Training& training, const RunHooks& hooks,
          const RunState& state, bool owes_validation);

  /// After a step that took so many seconds and is counted in `state`: tells the hooks, and where it
  /// is time writes a line of the window, which then begins anew.
  void add_step(const StepOutcome& outcome, double seconds, RunState& state);
  /// A step that changed nothing, and why.
  void add_skipped(const RunState& state, const std::string& what);
  /// After a validation that is counted in `state`.
  void add_validation(const Judgement& judgement, const Patience::Verdict& verdict,
                      const RunState& state);
  /// The first sentences of the validation as the model says them now, where somebody can `show`
  /// them.
  void add_samples(const Validator& validator, const Show& show, int64_t step);
  /// Writes what still waits; Fault::disk where that cannot be done.
  void close() { record_.close(); }

 private:
  void add_window(RunState& state);
  /// A line for each objective, where there are several.
  void add_objectives(const RunState& state);
  void warn_of_trouble();
  std::string sentence(const Judgement& judgement, bool gained, const RunState& state) const;

  const Training& training_;
  const RunHooks& hooks_;
  Record record_;
  StepReport shown_;
};

}  // namespace heed
