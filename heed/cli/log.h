// What heed tells its user while it works: lines on standard error, and below them, on a terminal,
// one status line that is redrawn in place. Standard output carries results only. Safe to call from
// several threads.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <utility>

namespace heed {

/// quiet: warnings only; normal: messages as well; verbose: details as well.
enum class Verbosity { quiet, normal, verbose };
void set_verbosity(Verbosity verbosity);
Verbosity verbosity();

/// Writes a line whatever the verbosity; the status line moves below it.
void log_line(std::string_view text);

template <class... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
  if (verbosity() >= Verbosity::normal) {
    log_line(fmt::format(format, std::forward<Args>(args)...));
  }
}

template <class... Args>
void log_detail(fmt::format_string<Args...> format, Args&&... args) {
  if (verbosity() >= Verbosity::verbose) {
    log_line(fmt::format(format, std::forward<Args>(args)...));
  }
}

template <class... Args>
void log_warning(fmt::format_string<Args...> format, Args&&... args) {
  log_line("warning: " + fmt::format(format, std::forward<Args>(args)...));
}

/// A fault that does not end the program.
template <class... Args>
void log_error(fmt::format_string<Args...> format, Args&&... args) {
  log_line("heed: " + fmt::format(format, std::forward<Args>(args)...));
}

/// Draws the status line, or removes it when `text` is empty. Does nothing where there is no terminal.
/// The text is a list with commas; items that do not fit the terminal's width are dropped from its end.
void show_status(std::string_view text);
bool log_is_terminal();

/// Where lines go; tests use a file.
struct LogTarget {
  int descriptor = 2;
  bool is_terminal = false;
  int columns = 0;  // 0: ask the terminal
};
/// Returns the previous target.
LogTarget set_log_target(LogTarget target);

}  // namespace heed
