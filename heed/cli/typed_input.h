// What a person is told who types the input at a terminal: what to type, and when it is their turn.
#pragma once

#include <string>

namespace heed {

/// Whether results go to a terminal.
bool is_terminal_output();

/// What those are told who have to type pairs.
constexpr const char* typed_pairs = "type source, Tab, target and press Enter";

class TypedInput {
 public:
  /// Says the hint, such as "type a line and press Enter", if `path` is standard input and that is a
  /// terminal.
  TypedInput(const std::string& path, const std::string& verb, const std::string& hint);
  void prompt() const;
  /// After the last line: what follows begins on a line of its own.
  void end() const;

 private:
  bool prompts_ = false;
};

}  // namespace heed
