#include "heed/cli/typed_input.h"

#include <fmt/core.h>
#include <unistd.h>

#include "heed/cli/log.h"

namespace heed {

bool is_terminal_output() { return isatty(STDOUT_FILENO) == 1; }

TypedInput::TypedInput(const std::string& path, const std::string& verb, const std::string& hint) {
  const bool is_typed = path == "-" && isatty(STDIN_FILENO) == 1;
  prompts_ = is_typed && isatty(STDERR_FILENO) == 1 && verbosity() != Verbosity::quiet;
  if (is_typed) {
    log_info("{}: {}; Ctrl-D ends", verb, hint);
  }
}

void TypedInput::prompt() const {
  if (prompts_) {
    fmt::print(stderr, "> ");
  }
}

void TypedInput::end() const {
  if (prompts_) {
    fmt::print(stderr, "\n");
  }
}

}  // namespace heed
