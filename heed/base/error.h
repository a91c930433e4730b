// One exception for everything a user or caller can get wrong: `who: saw X, needs Y; do Z`.
#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace heed {

/// What kind of fault it was; the value is the exit code of the command line.
enum class Fault { runtime = 1, usage = 2, file = 3, diverged = 4, disk = 5 };

class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, Fault fault = Fault::runtime)
      : std::runtime_error(message), fault_(fault) {}
  Fault fault() const { return fault_; }

 private:
  Fault fault_;
};

/// Throws Error with the formatted message.
template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(fmt::format(format, std::forward<Args>(args)...));
}

template <class... Args>
[[noreturn]] void fail(Fault fault, fmt::format_string<Args...> format, Args&&... args) {
  throw Error(fmt::format(format, std::forward<Args>(args)...), fault);
}

/// Throws unless `holds`. The arguments are evaluated in either case, so keep them cheap.
template <class... Args>
void require(bool holds, fmt::format_string<Args...> format, Args&&... args) {
  if (!holds) {
    fail(format, std::forward<Args>(args)...);
  }
}

}  // namespace heed
