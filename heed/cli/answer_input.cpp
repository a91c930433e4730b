#include "heed/cli/answer_input.h"

#include <fmt/core.h>

#include <optional>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/cli/log.h"
#include "heed/cli/progress.h"
#include "heed/cli/shared_options.h"
#include "heed/cli/typed_input.h"
#include "heed/data/examples.h"

namespace heed {
namespace {

/// 0 where they cannot be counted beforehand. A damaged file is reported when its lines before the
/// damage are answered.
int64_t lines_of(const std::string& path, int64_t most_line_bytes) {
  if (!is_regular_file(path)) {
    return 0;
  }
  try {
    LineReader reader(path, static_cast<std::size_t>(most_line_bytes));
    std::string line;
    while (reader.find(line) != LineFound::none) {
    }
    return reader.line_number();
  } catch (const Error&) {
    return 0;
  }
}

}  // namespace

void AnswerInput::options(Options& options) {
  options.under("Input");
  input_option(options, input_, "lines");
  options
      .add("--table", table_,
           fmt::format("{} the rows of this table, read as in training, instead of lines",
                       kind_->verb))
      .takes("FILE");
  options.add("--column", column_, "the column of the table where the source begins, from 1")
      .check(whole(1, 1000000))
      .takes("N")
      .with_default()
      .only_with({"--table"});
  options.add("--max-line-bytes", most_line_bytes_, "a longer line of the input is not answered")
      .check(whole(1, 1 << 30))
      .takes("N")
      .with_default();
}

void AnswerInput::check_one_source(const char* words, bool are_given) const {
  if (int{are_given} + int{has_table()} + int{input_ != "-"} > 1) {
    fail(Fault::usage, "{}: {}, --table and --input exclude each other; give one of them",
         kind_->verb, words);
  }
}

void AnswerInput::check_is_no_file(const std::string& text, const Field& source) const {
  if (source.has_tokens() && file_exists(text)) {
    fail(Fault::usage,
         "{0}: \"{1}\" is a file; to {0} its lines, write -i {1} (or give the text on standard "
         "input)",
         kind_->verb, text);
  }
}

std::vector<std::string> AnswerInput::table_cells(const Field& source) const {
  std::vector<std::string> cells = read_cells(table_, source, column_);
  source.meet(cells);
  return cells;
}

bool AnswerInput::may_show_progress() const { return input_ != "-" && log_is_terminal(); }

void AnswerInput::answer_lines(AnswerLoop& loop, const std::string& hint,
                               bool shows_progress) const {
  TypedInput typed(input_, kind_->verb, hint);
  typed.prompt();  // before the reader, which waits for the first bytes
  LineReader reader(input_, static_cast<std::size_t>(most_line_bytes_));
  std::optional<Progress> progress;
  LineHooks hooks{
      .fault = [&](const auto& line, LineFound found) { return fault_of(line, found, reader); },
      .wait = [&typed] { typed.prompt(); },
      .advance = {}};
  if (shows_progress) {
    progress.emplace(ProgressOptions{
        .label = kind_->verb, .unit = "line", .total = lines_of(input_, most_line_bytes_)});
    hooks.advance = [&progress](int64_t lines) { progress->advance(lines); };
  }
  loop.answer_lines(reader, hooks);
  typed.end();
  if (progress) {
    progress->finish();
  }
}

/// Why a line cannot be answered; empty if it can.
std::string AnswerInput::fault_of(const std::string& line, LineFound found,
                                  const LineReader& reader) const {
  std::string fault =
      found == LineFound::too_long
          ? fmt::format("the line is longer than {} bytes; cut it, or raise --max-line-bytes",
                        most_line_bytes_)
          : utf8_text().fault(line);
  if (!fault.empty()) {
    check_may_be_names(reader, found);
  }
  return fault;
}

/// Fails if the input is itself a picture or a recording, where the paths of such files are wanted.
void AnswerInput::check_may_be_names(const LineReader& reader, LineFound found) const {
  const bool reads_names = !kind_->labels && kind_->reads != SourceKind::text;
  if (found == LineFound::too_long || !reads_names || reader.line_number() > 1) {
    return;
  }
  if (kind_->reads == SourceKind::sound) {
    fail(Fault::file,
         "{}: these bytes are no text; give the path of a recording in each line, or, to hear "
         "standard input itself, name it: heed {} -",
         reader.where(), kind_->verb);
  }
  fail(Fault::file, "{}: these bytes are no text; give the path of a picture in each line",
       reader.where());
}

}  // namespace heed
