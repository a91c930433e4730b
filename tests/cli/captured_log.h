// Sends the log to a file for one test, as if it were a terminal or not, and gives back what was
// written.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <string>

#include "heed/cli/log.h"

namespace heed {

class CapturedLog {
 public:
  explicit CapturedLog(bool is_terminal, int columns = 80)
      : file_(std::tmpfile()), before_(set_log_target({fileno(file_), is_terminal, columns})) {}
  ~CapturedLog() {
    set_log_target(before_);
    set_verbosity(Verbosity::normal);
    (void)std::fclose(file_);
  }
  CapturedLog(const CapturedLog&) = delete;
  CapturedLog& operator=(const CapturedLog&) = delete;

  /// All that was written since the last call.
  std::string take() {
    std::string text(1 << 16, '\0');
    const ssize_t size = pread(fileno(file_), text.data(), text.size(), seen_);
    text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    seen_ += static_cast<off_t>(text.size());
    return text;
  }

 private:
  std::FILE* file_;
  LogTarget before_;
  off_t seen_ = 0;
};

}  // namespace heed
