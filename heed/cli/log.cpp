#include "heed/cli/log.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <mutex>

#include "heed/base/utf8.h"

namespace heed {
namespace {

std::atomic<Verbosity> chosen_verbosity{Verbosity::normal};

struct Console {
  std::mutex guard;
  LogTarget target{STDERR_FILENO, isatty(STDERR_FILENO) == 1, 0};
  std::string status;
};

Console& console() {
  static Console only;
  return only;
}

/// Writes the text at once, so that lines of several processes do not mix. A failure is ignored:
/// work goes on without its log.
void put(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = ::write(descriptor, text.data(), text.size());
    if (done < 0 && errno != EINTR) {
      return;
    }
    text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(done, 0)));
  }
}

int columns_of(const LogTarget& target) {
  if (target.columns > 0) {
    return target.columns;
  }
  struct winsize size {};
  return ioctl(target.descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/// The items that fit into `columns` characters, because a status line that wraps cannot be redrawn; of
/// the first item, as much as fits.
std::string_view cut(std::string_view text, int columns) {
  std::size_t end = 0;
  for (; columns > 0 && end < text.size(); --columns) {
    end += std::max<std::size_t>(utf8_length(text.substr(end)), 1);
  }
  constexpr std::string_view separator = ", ";
  if (end >= text.size() || text.substr(end).starts_with(separator)) {
    return text.substr(0, end);
  }
  const std::size_t comma = text.substr(0, end).rfind(separator);
  return text.substr(0, comma == std::string_view::npos ? end : comma);
}

constexpr std::string_view erase_line = "\r\x1b[K";

}  // namespace

void set_verbosity(Verbosity verbosity) { chosen_verbosity.store(verbosity); }

Verbosity verbosity() { return chosen_verbosity.load(std::memory_order_relaxed); }

void log_line(std::string_view text) {
  Console& to = console();
  const std::lock_guard lock(to.guard);
  std::string out;
  if (!to.status.empty()) {
    out += erase_line;
  }
  out += text;
  out += '\n';
  out += to.status;
  put(to.target.descriptor, out);
}

void show_status(std::string_view text) {
  Console& to = console();
  const std::lock_guard lock(to.guard);
  if (!to.target.is_terminal || (text.empty() && to.status.empty())) {
    return;
  }
  to.status = cut(text, columns_of(to.target) - 1);
  put(to.target.descriptor, std::string(erase_line) + to.status);
}

bool log_is_terminal() {
  Console& to = console();
  const std::lock_guard lock(to.guard);
  return to.target.is_terminal;
}

LogTarget set_log_target(LogTarget target) {
  Console& to = console();
  const std::lock_guard lock(to.guard);
  to.status.clear();
  return std::exchange(to.target, target);
}

}  // namespace heed
