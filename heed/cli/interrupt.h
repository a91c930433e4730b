// Ctrl-C and SIGTERM: the first signal sets a flag that loops read between steps, the second ends
// the process at once with exit code 130 or 143.
#pragma once

namespace heed {

/// Installs the handlers; a signal that the process was started to ignore (nohup) stays ignored.
void watch_interrupts();
/// Whether a signal has come.
bool interrupted();
/// 130 after SIGINT, 143 after SIGTERM, 0 before either.
int interrupt_exit_code();
/// Restores the handlers from before watch_interrupts and forgets any signal that came.
void unwatch_interrupts();

}  // namespace heed
