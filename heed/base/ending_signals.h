// The signals that end a program. Threads that are started while `WithoutEnding` lives never get one, so that
// each goes to the thread that knows what must be cleared away first.
#pragma once

#include <signal.h>

#include <array>

namespace heed {

inline constexpr std::array<int, 5> ending_signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};

inline sigset_t all_ending() {
  sigset_t all;
  sigemptyset(&all);
  for (const int number : ending_signals) {
    sigaddset(&all, number);
  }
  return all;
}

/// While it lives none of them reaches this thread: it waits, or goes to another.
class WithoutEnding {
 public:
  WithoutEnding() {
    const sigset_t all = all_ending();
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~WithoutEnding() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  WithoutEnding(const WithoutEnding&) = delete;
  WithoutEnding& operator=(const WithoutEnding&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace heed
