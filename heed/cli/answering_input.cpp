// Answers the lines of a file or of standard input as they come.
#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/cli/answering.h"
#include "heed/cli/log.h"
#include "heed/cli/progress.h"
#include "heed/cli/typed_input.h"

namespace heed {
namespace {

/// 0 where they cannot be counted beforehand. A damaged file is reported when its lines before the damage are answered.
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

/// The number of cells that are read before they are answered. Lines are ordered by their length
/// before they are searched in batches. Pictures have one size, and their files are large.
size_t Answering::at_once() const {
  const auto batch = static_cast<size_t>(options_.batch);
  const bool has_text = loaded_.front().fields.source->has_tokens();
  return has_text ? 16 * batch : batch;
}

void Answering::print_input(const std::string& hint) {
  TypedInput typed(input_, verb_, hint);
  is_single_ = false;
  typed.prompt();  // before the reader, which waits for the first bytes
  LineReader reader(input_, static_cast<std::size_t>(most_line_bytes_));
  std::optional<Progress> progress;
  if (shows_progress()) {
    progress.emplace(ProgressOptions{
        .label = verb_, .unit = "line", .total = lines_of(input_, most_line_bytes_)});
  }
  std::vector<std::string> lines;
  const auto flush = [&] {
    auto left = static_cast<int64_t>(lines.size());
    if (progress) {  // a line may have several parts, and an empty one has none
      follow([&](double /*seconds*/) { progress->advance(left-- > 0 ? 1 : 0); });
    }
    print(std::exchange(lines, {}));
    if (progress) {
      follow({});  // it refers to `left`
      progress->advance(std::max<int64_t>(left, 0));
    }
  };
  for (std::string line;;) {
    LineFound found = LineFound::none;
    try {
      found = reader.find(line);
    } catch (const Error&) {
      flush();  // the lines before the fault
      throw;
    }
    if (found == LineFound::none) {
      break;
    }
    const std::string fault = fault_of(line, found);
    if (fault.empty()) {
      lines.push_back(line);
    } else {
      flush();
      check_may_be_names(reader, found);
      print_nothing("", fmt::format("{}: {}", reader.where(), fault), Fault::file);
      if (progress) {
        progress->advance();
      }
    }
    // A writer that waits for an answer before it writes the next line must get it.
    if (lines.size() >= at_once() || !reader.has_more_at_hand()) {
      flush();
      typed.prompt();
    }
  }
  flush();
  typed.end();
  if (progress) {
    progress->finish();
  }
}

void Answering::check_is_no_file(const std::string& text) const {
  if (loaded_.front().fields.source->has_tokens() && file_exists(text)) {
    fail(Fault::usage,
         "{0}: \"{1}\" is a file; to {0} its lines, write -i {1} (or give the text on standard "
         "input)",
         verb_, text);
  }
}

/// On a terminal, beside which the answers go elsewhere.
bool Answering::shows_progress() const {
  return input_ != "-" && log_is_terminal() && (!output_.empty() || !is_terminal_output());
}

/// Why a line cannot be answered; empty if it can.
std::string Answering::fault_of(const std::string& line, LineFound found) const {
  return found == LineFound::too_long
             ? fmt::format("the line is longer than {} bytes; cut it, or raise --max-line-bytes",
                           most_line_bytes_)
             : utf8_text().fault(line);
}

/// Fails if the input is itself a picture or a recording, where the paths of such files are wanted.
void Answering::check_may_be_names(const LineReader& reader, LineFound found) const {
  const bool reads_names = !labels() && reads() != SourceKind::text;
  if (found == LineFound::too_long || !reads_names || reader.line_number() > 1) {
    return;
  }
  if (reads() == SourceKind::sound) {
    fail(Fault::file,
         "{}: these bytes are no text; give the path of a recording in each line, or, to hear "
         "standard input itself, name it: heed {} -",
         reader.where(), verb_);
  }
  fail(Fault::file, "{}: these bytes are no text; give the path of a picture in each line",
       reader.where());
}

}  // namespace heed
