// Ctrl-C and SIGTERM, politely: the first sets a flag that loops look at between steps, the second
// ends the process at once, with 130 or 143.
#pragma once

namespace heed {

/// Installs the handlers; a signal that the process was started to ignore (nohup) stays ignored.
void watch_interrupts();
/// Whether one has come.
bool interrupted();
/// 130 after SIGINT, 143 after SIGTERM, 0 before either.
int interrupt_exit_code();
/// Puts the handlers back as they were before watch_interrupts and forgets what came.
void unwatch_interrupts();

}  // namespace heed
