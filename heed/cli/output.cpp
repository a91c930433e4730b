#include "heed/cli/output.h"

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
#include <cstring>

#include "heed/base/ending_signals.h"
#include "heed/base/error.h"

namespace heed {
namespace {

void flush_output(const char* what) {
  if (std::fflush(stdout) != 0) {
    fail(Fault::disk, "{}: cannot write ({}); is the disk full?", what, std::strerror(errno));
  }
}

std::array<char, 4096> unfinished{};  // the path that a signal removes; empty: none

/// Ends as without it. The other signals wait meanwhile, and the first one takes effect only when the file is gone: some
/// programs send two in quick succession.
extern "C" void heed_remove_unfinished(int number) {
  unlink(unfinished.data());
  signal(number, SIG_DFL);
  raise(number);
}

/// Where another handler is installed, or the signal is ignored, that stays.
void exchange_handler(int number, bool is_ours_wanted) {
  struct sigaction now {};
  sigaction(number, nullptr, &now);
  struct sigaction action {};
  action.sa_mask = all_ending();
  if (is_ours_wanted && now.sa_handler == SIG_DFL) {
    action.sa_handler = heed_remove_unfinished;
    sigaction(number, &action, nullptr);
  } else if (!is_ours_wanted && now.sa_handler == heed_remove_unfinished) {
    action.sa_handler = SIG_DFL;
    sigaction(number, &action, nullptr);
  }
}

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

OutputFile::OutputFile(const std::string& path) {
  if (path.empty()) {
    return;
  }
  flush_output("standard output");
  const WithoutEnding undisturbed;
  file_ = std::make_unique<AtomicFile>(path);
  before_ = Descriptor(dup(STDOUT_FILENO));
  if (!before_.is_open() || dup2(file_->descriptor(), STDOUT_FILENO) < 0) {
    fail(Fault::disk, "{}: cannot write to it ({})", path, std::strerror(errno));
  }
  guard();  // last: without an object nobody would unguard
}

OutputFile::~OutputFile() {
  if (file_) {
    std::fflush(stdout);
    give_back();
    const WithoutEnding undisturbed;
    file_.reset();
    unguard();
  }
}

void OutputFile::commit() {
  if (file_) {
    flush_output("--output");
    give_back();
    const WithoutEnding undisturbed;
    file_->commit();
    unguard();
    file_.reset();
  }
}

void OutputFile::guard() {
  const std::string& path = file_->temporary();
  if (path.size() >= unfinished.size()) {
    return;
  }
  path.copy(unfinished.data(), path.size());
  unfinished[path.size()] = '\0';
  for (const int number : ending_signals) {
    exchange_handler(number, true);
  }
}

void OutputFile::unguard() {
  for (const int number : ending_signals) {
    exchange_handler(number, false);
  }
  unfinished.front() = '\0';
}

void OutputFile::give_back() { dup2(before_.number(), STDOUT_FILENO); }

void check_is_no_input(const std::string& verb, const std::string& output,
                       const std::vector<std::string>& inputs) {
  struct stat written {};
  if (output.empty() || stat(output.c_str(), &written) != 0 || !S_ISREG(written.st_mode)) {
    return;
  }
  for (const std::string& input : inputs) {
    struct stat read {};
    if (!input.empty() && stat(input.c_str(), &read) == 0 && read.st_dev == written.st_dev &&
        read.st_ino == written.st_ino) {
      fail(Fault::usage,
           "{}: {} is read by this command, which would write over it; choose another name", verb,
           output);
    }
  }
}

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
