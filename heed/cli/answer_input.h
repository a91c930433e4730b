// Where the sources come from: the rows of a table, or the lines of a file or of standard input.
#pragma once

#include <string>
#include <vector>

#include "heed/cli/options.h"
#include "heed/engine/answer/answer_loop.h"

namespace heed {

class AnswerInput {
 public:
  explicit AnswerInput(const AnswerKind& kind) : kind_(&kind) {}

  void options(Options& options);
  bool has_table() const { return !table_.empty(); }
  /// Fault::usage if sources come from more than one of the command line (`words`, as a message calls
  /// them, are given), --table and --input.
  void check_one_source(const char* words, bool are_given) const;
  /// Fault::usage if the only text is the name of a file, whose lines are probably meant.
  void check_is_no_file(const std::string& text, const Field& source) const;
  /// The rows of the table, as cells.
  std::vector<std::string> table_cells(const Field& source) const;
  /// Answers the lines of --input or of standard input, as soon as they come. `hint` tells a person at
  /// a terminal what to type.
  void answer_lines(AnswerLoop& loop, const std::string& hint, bool shows_progress) const;
  /// A line of progress goes to a terminal, beside which the answers go elsewhere.
  bool may_show_progress() const;
  std::vector<std::string> files() const { return {input_, table_}; }

 private:
  std::string fault_of(const std::string& line, LineFound found, const LineReader& reader) const;
  void check_may_be_names(const LineReader& reader, LineFound found) const;

  const AnswerKind* kind_;
  std::string table_;
  std::string input_ = "-";
  int64_t column_ = 1;
  int64_t most_line_bytes_ = 1 << 20;
};

}  // namespace heed
