// The journal of a run: lines of metrics.jsonl, TensorBoard's events and samples/ (record.h), and
// messages for people.
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
  /// Continues from `state`; everything but the state must outlive it.
  Journal(const RunFolder& folder, const Training& training, const RunHooks& hooks,
          const RunState& state, bool owes_validation);

  /// Called after a step that is counted in `state`: calls the hooks, and every `log_every` steps
  /// writes a line about the window, which then begins again.
  void add_step(const StepOutcome& outcome, double seconds, RunState& state);
  /// Reports a step that changed nothing, and why.
  void add_skipped(const RunState& state, const std::string& what);
  /// Called after a validation that is counted in `state`.
  void add_validation(const Judgement& judgement, const Patience::Verdict& verdict,
                      const RunState& state);
  /// Writes what the model makes of the first validation sentences, if `show` is set.
  void add_samples(const Validator& validator, const Show& show, int64_t step);
  /// Writes what is still waiting; Fault::disk where that fails.
  void close() { record_.close(); }

 private:
  void add_window(RunState& state);
  /// Writes a line for each objective if there are several, or if it has measures.
  void add_objectives(const RunState& state);
  void warn_of_trouble();
  std::string sentence(const Judgement& judgement, bool gained, const RunState& state) const;

  const Training& training_;
  const RunHooks& hooks_;
  Record record_;
  StepReport shown_;
};

}  // namespace heed
