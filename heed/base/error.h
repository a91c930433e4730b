// Throws an Error that says who, what is wrong and what to do: `fail("{}: there is no {}; name one", …)`.
#pragma once

#include <fmt/core.h>

#include <utility>

#include "heed/base/fault.h"

namespace heed {

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
