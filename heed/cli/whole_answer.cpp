#include "heed/cli/whole_answer.h"

#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>

namespace heed {
namespace {

volatile std::sig_atomic_t delayed = 0;  // a signal that came while a text was written

extern "C" void heed_delay_ending(int number) { delayed = number; }

/// While it lives, signals that would end the program are only noted.
class DelayedEnding {
 public:
  DelayedEnding() {
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      sigaction(numbers_[i], nullptr, &before_[i]);
      if (before_[i].sa_handler == SIG_DFL) {
        struct sigaction action {};
        sigemptyset(&action.sa_mask);
        action.sa_handler = heed_delay_ending;
        sigaction(numbers_[i], &action, nullptr);
      }
    }
  }
  ~DelayedEnding() {
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      sigaction(numbers_[i], &before_[i], nullptr);
    }
    if (delayed != 0) {
      raise(delayed);
    }
  }
  DelayedEnding(const DelayedEnding&) = delete;
  DelayedEnding& operator=(const DelayedEnding&) = delete;

 private:
  static constexpr std::array<int, 3> numbers_{SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, 3> before_{};
};

bool is_pipe() {
  struct stat status {};
  return fstat(STDOUT_FILENO, &status) == 0 &&
         (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

/// What is left when the reader is gone, or takes nothing while a signal waits.
std::string_view written_to_pipe(std::string_view text) {
  constexpr int patience_ms = 1000;
  while (!text.empty()) {
    pollfd ready{STDOUT_FILENO, POLLOUT, 0};
    const int count = poll(&ready, 1, patience_ms);
    if (count == 0 && delayed != 0) {
      return text;
    }
    if (count <= 0) {
      continue;
    }
    // As much as a pipe that is ready takes without waiting.
    const ssize_t done =
        ::write(STDOUT_FILENO, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (done < 0 && errno != EINTR && errno != EAGAIN) {
      return text;
    }
    text.remove_prefix(done > 0 ? static_cast<std::size_t>(done) : 0);
  }
  return text;
}

}  // namespace

void print_whole(std::string_view text) {
  std::fflush(stdout);
  if (is_pipe()) {
    const DelayedEnding undisturbed;
    text = written_to_pipe(text);
  }
  std::fwrite(text.data(), 1, text.size(), stdout);  // so that a fault is one of standard output
  std::fflush(stdout);
}

}  // namespace heed
