// Shows a training run on the terminal (its messages and progress) and handles Ctrl-C.
#pragma once

#include <optional>
#include <string>

#include "heed/cli/progress.h"
#include "heed/train/run_hooks.h"

namespace heed {

class RunDisplay {
 public:
  /// One run, of which all is shown.
  RunDisplay() = default;
  /// One of several, of which a line says that it begins; `place` is its place among all, such as "2/6".
  RunDisplay(std::string name, std::string place)
      : label_(std::move(name)), place_(std::move(place)) {}

  /// They refer to this.
  RunHooks hooks();
  /// Removes the status line.
  void clear() { progress_.reset(); }
  /// Whether the run took a step; if not, it was done before.
  bool took_steps() const { return took_steps_; }

 private:
  bool is_of_several() const { return !place_.empty(); }
  void start(int64_t done, int64_t steps);
  void step(const StepReport& report);

  std::string label_ = "train";
  std::string place_;
  bool took_steps_ = false;
  std::optional<Progress> progress_;
};

}  // namespace heed
