#include "heed/data/rows.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "heed/base/error.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

struct RowFault {
  std::string_view name;
  std::string_view what;  // its words in a report
};

constexpr std::array<RowFault, 6> faults = {{{"encoding", "not UTF-8"},
                                             {"columns", "with other columns"},
                                             {"empty", "with an empty side"},
                                             {"long", "of too many bytes"},
                                             {"unmatched", "without a partner"},
                                             {"damaged", "with a damaged source"}}};

bool is_blank(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint one = decode_utf8(text, at);
    if (!is_white_space(one.code)) {
      return false;
    }
    at += one.length;
  }
  return true;
}

void check(const RowFiles& files) {
  const std::size_t sources = files.source.size();
  const std::size_t targets = files.target.size();
  if (targets > 0 && targets != sources && sources != 1) {
    fail(Fault::usage,
         "data: {} source files and {} target files do not go together; give as many of each, or "
         "several target files (references) for one source file",
         sources, targets);
  }
  if (targets > 0 && !files.columns.empty()) {
    fail(Fault::usage,
         "data: columns and files of target lines exclude each other; leave out the columns or the "
         "files");
  }
  if (targets > 0 && files.source_columns == 0) {
    fail(Fault::usage,
         "data: files of target lines are given, but the rows have no source; name the texts as "
         "train and valid");
  }
  if (files.columns.size() == 1 && files.source_columns > 0) {
    fail(Fault::usage,
         "data: columns = [{}] is not enough; give the source's and the target's, such as [1, 2]",
         files.columns.front());
  }
}

}  // namespace

std::vector<std::string_view> split_at_tabs(std::string_view line) {
  std::vector<std::string_view> columns;
  for (std::size_t tab = line.find('\t'); tab != std::string_view::npos; tab = line.find('\t')) {
    columns.push_back(line.substr(0, tab));
    line.remove_prefix(tab + 1);
  }
  columns.push_back(line);
  return columns;
}

std::vector<std::string> row_faults() {
  std::vector<std::string> names;
  for (const RowFault& fault : faults) {
    names.emplace_back(fault.name);
  }
  return names;
}

RowReader::RowReader(RowFiles files) : files_(std::move(files)) { check(files_); }

bool RowReader::open_next() {
  if (opened_ == files_.source.size()) {
    return false;
  }
  std::vector<std::string> paths = {files_.source[opened_]};
  if (files_.source.size() == 1) {
    paths.insert(paths.end(), files_.target.begin(), files_.target.end());
  } else if (!files_.target.empty()) {
    paths.push_back(files_.target[opened_]);
  }
  ++opened_;
  readers_.clear();
  for (const std::string& path : paths) {
    readers_.emplace_back(path, files_.most_line_bytes);
  }
  lines_.resize(readers_.size());
  return true;
}

std::string RowReader::or_skip(const std::string& fault) const {
  return files_.table.empty() ? ""
                              : fmt::format(", or list \"{}\" in {}.skip", fault, files_.table);
}

/// Whether rows with this fault are skipped; if so, counts one.
bool RowReader::skips(const std::string& fault, const std::string& where, std::int64_t count) {
  if (std::find(files_.skip.begin(), files_.skip.end(), fault) == files_.skip.end()) {
    return false;
  }
  const auto* known = std::find_if(faults.begin(), faults.end(),
                                   [&fault](const RowFault& one) { return one.name == fault; });
  if (!is_faulty_) {  // a row is counted once, for its first fault
    left_out_.add(known->what, count, where);
  }
  is_faulty_ = true;
  return true;
}

/// Called when some files have ended and others have not: throws, or ends them all.
void RowReader::match_ends(const std::vector<LineFound>& found) {
  const auto longer =
      static_cast<std::size_t>(std::find_if(found.begin(), found.end(),
                                            [](LineFound one) { return one != LineFound::none; }) -
                               found.begin());
  const auto shorter = static_cast<std::size_t>(
      std::find(found.begin(), found.end(), LineFound::none) - found.begin());
  const std::string where = readers_[longer].where();
  const std::int64_t matched = readers_[longer].line_number() - 1;
  for (LineReader& reader : readers_) {
    std::string rest;
    while (reader.find(rest) != LineFound::none) {
    }
  }
  if (!skips("unmatched", where, readers_[longer].line_number() - matched)) {
    const LineReader& first = readers_[std::min(longer, shorter)];
    const LineReader& second = readers_[std::max(longer, shorter)];
    fail(Fault::file,
         "{}: a line has no partner ({} and {} have {} and {} lines); complete the files, so that "
         "line i of one belongs to line i of the other{}",
         where, first.path(), second.path(), first.line_number(), second.line_number(),
         or_skip("unmatched"));
  }
}

/// Reads a line of each open file; false where they have ended.
bool RowReader::read_lines() {
  std::vector<LineFound> found;
  for (std::size_t i = 0; i < readers_.size(); ++i) {
    found.push_back(readers_[i].find(lines_[i]));
  }
  const auto ended =
      static_cast<std::size_t>(std::count(found.begin(), found.end(), LineFound::none));
  if (ended > 0 && ended < found.size()) {
    match_ends(found);
  }
  if (ended > 0 || found.empty()) {
    return false;
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] == LineFound::too_long && !skips("long", readers_[i].where())) {
      const std::string raise =
          files_.table.empty() ? "" : fmt::format(" Then raise {}.max_line_bytes", files_.table);
      fail(Fault::file, "{}: the line is longer than {} bytes; is it text?{}{}",
           readers_[i].where(), files_.most_line_bytes, raise, or_skip("long"));
    }
  }
  return true;
}

void RowReader::check_encoding(std::size_t file) {
  const auto at = find_invalid_utf8(lines_[file]);
  if (at && !skips("encoding", readers_[file].where())) {
    fail(Fault::file, "{}: byte 0x{:02X} at position {} is not UTF-8; convert the text to UTF-8{}",
         readers_[file].where(), static_cast<unsigned char>(lines_[file][*at]), *at,
         or_skip("encoding"));
  }
}

bool RowReader::take_columns(Row& row) {
  if (files_.source_columns == 0 && files_.columns.empty()) {
    row = {"", {lines_.front()}};
    return true;
  }
  const auto columns = split_at_tabs(lines_.front());
  const std::vector<std::int64_t> two = {1, 2};
  const std::vector<std::int64_t>& wanted = files_.columns.empty() ? two : files_.columns;
  const std::int64_t source_end = wanted.front() + files_.source_columns - 1;
  const auto last = static_cast<std::size_t>(
      std::max(source_end, *std::max_element(wanted.begin(), wanted.end())));
  if (columns.size() < last || (files_.columns.empty() && columns.size() > last)) {
    if (skips("columns", where())) {
      return false;
    }
    const std::string choose =
        files_.table.empty() ? "" : fmt::format(", say which ({}.columns = [1, 2])", files_.table);
    fail(Fault::file, "{}: there {}, but must be {}{}", where(),
         columns.size() == 1 ? "is 1 column" : fmt::format("are {} columns", columns.size()),
         files_.columns.empty()
             ? "two: source, tab, target; keep only those (cut -f1,2)" + choose
             : fmt::format("{}, the last that is asked for; complete the line", last),
         or_skip("columns"));
  }
  const auto column = [&columns](std::int64_t number) {
    return std::string(columns[static_cast<std::size_t>(number - 1)]);
  };
  const bool has_source = files_.source_columns > 0;
  row.source = has_source ? column(wanted.front()) : "";
  for (std::int64_t more = wanted.front() + 1; more <= source_end; ++more) {
    row.source += '\t' + column(more);
  }
  row.targets.clear();
  std::transform(wanted.begin() + (has_source ? 1 : 0), wanted.end(),
                 std::back_inserter(row.targets), column);
  return true;
}

/// Whether the row has a source and a target; if not, it is counted as skipped or refused.
bool RowReader::has_words(const Row& row) {
  const bool has_source = files_.source_columns == 0 || !is_blank(row.source);
  const bool is_whole = has_source && !row.targets.empty();
  if (!is_whole && !skips("empty", where())) {
    fail(Fault::file, "{}: the {} is empty; complete or remove the line{}", where(),
         has_source ? "target" : "source", or_skip("empty"));
  }
  return is_whole;
}

bool RowReader::next(Row& row) {
  for (;;) {
    is_faulty_ = false;
    if (!read_lines()) {
      if (!open_next()) {
        return false;
      }
      continue;
    }
    for (std::size_t i = 0; !is_faulty_ && i < lines_.size(); ++i) {
      check_encoding(i);
    }
    if (is_faulty_) {
      continue;
    }
    if (lines_.size() > 1) {
      row.source = lines_.front();
      row.targets.assign(lines_.begin() + 1, lines_.end());
    } else if (!take_columns(row)) {
      continue;
    }
    if (files_.allows_empty) {
      return true;
    }
    std::erase_if(row.targets, is_blank);
    if (has_words(row)) {
      return true;
    }
  }
}

}  // namespace heed
