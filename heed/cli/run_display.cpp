#include "heed/cli/run_display.h"

#include <fmt/core.h>

#include "heed/cli/interrupt.h"
#include "heed/cli/log.h"

namespace heed {

RunHooks RunDisplay::hooks() {
  RunHooks hooks;
  hooks.interrupt = interrupt_exit_code;
  hooks.on_start = [this](int64_t done, int64_t steps) { start(done, steps); };
  hooks.on_step = [this](const StepReport& report) { step(report); };
  hooks.on_pause = [this](bool begins) { begins ? progress_->pause() : progress_->resume(); };
  if (!is_of_several()) {
    hooks.say = [](const std::string& line) { log_info("{}", line); };
  }
  hooks.warn = [](const std::string& line) { log_warning("{}", line); };
  return hooks;
}

void RunDisplay::start(int64_t done, int64_t steps) {
  watch_interrupts();  // until now there was nothing to save, and a signal ended the process at once
  if (is_of_several() && done == 0) {
    log_info("{} ({})", label_, place_);
  }
  progress_.emplace(
      ProgressOptions{.label = label_, .unit = "step", .total = steps, .already_done = done});
}

void RunDisplay::step(const StepReport& report) {
  if (is_of_several() && !took_steps_ && report.step > 1) {
    log_info("{} ({}): continuing after step {}", label_, place_, report.step - 1);
  }
  took_steps_ = true;
  const std::string rest =
      is_of_several()
          ? ""
          : fmt::format(", epoch {}, {:.0f} tokens/s, lr {:.2e}, norm {:.2f}", report.epoch + 1,
                        report.tokens_per_second, report.learning_rate, report.gradient_norm);
  progress_->advance(1, fmt::format("loss {:.4f}{}", report.loss, rest));
}

}  // namespace heed
