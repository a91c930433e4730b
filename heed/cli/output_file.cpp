#include "heed/cli/output_file.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
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

}  // namespace heed
