// Reads rows of parallel text from files: a source and one target, or several references.
//
//   files of rows         source TAB target, or the given columns
//                         if rows have no source: the line is the target, or the given columns are
//                         targets
//   files of lines        line i of the target file belongs to line i of the source file; where one
//                         source file has several target files, each is a reference
//
// Files are UTF-8, plain or gzip; "-" is standard input. A faulty row is an Error that names file
// and line. Where `skip` names the fault, the row is skipped and counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/line_reader.h"
#include "heed/data/left_out.h"
#include "heed/data/row.h"

namespace heed {

struct RowFiles {
  std::vector<std::string> source =
      {};  // files of rows, or of source lines; read one after another
  std::vector<std::string> target = {};  // none; one for each source; or several for one source
  // In files of rows, from 1: the columns of the source, the target and further references. Empty:
  // a line must have two columns, source and target.
  std::vector<std::int64_t> columns = {};
  // How many columns make the source; tabs join them. 0: rows have no source, and all columns are
  // targets.
  std::int64_t source_columns = 1;
  std::size_t most_line_bytes = 100'000;
  std::vector<std::string> skip = {};  // names among row_faults()
  bool allows_empty = false;           // a side without words is no fault
  std::string table = "";  // the recipe's table of these settings, such as "data"; may be empty
};

/// The names of faults of a row in recipes: encoding, columns, empty, long, unmatched, and damaged,
/// which a Corpus finds when it reads the source's file.
std::vector<std::string> row_faults();

/// The columns of a line.
std::vector<std::string_view> split_at_tabs(std::string_view line);

class RowReader {
 public:
  /// Fault::usage where the numbers of files do not match or columns are wrong.
  explicit RowReader(RowFiles files);

  /// The next row; false at the end of the last file.
  bool next(Row& row);
  /// The file of the last row, or of its source.
  const std::string& table() const { return readers_.front().path(); }
  /// File and line of the last row.
  std::string where() const { return readers_.front().where(); }
  const LeftOut& left_out() const { return left_out_; }

 private:
  bool open_next();
  bool read_lines();
  void match_ends(const std::vector<LineFound>& found);
  void check_encoding(std::size_t file);
  bool take_columns(Row& row);
  bool has_words(const Row& row);
  bool skips(const std::string& fault, const std::string& where, std::int64_t count = 1);
  std::string or_skip(const std::string& fault) const;

  RowFiles files_;
  std::size_t opened_ = 0;           // source files opened so far
  std::vector<LineReader> readers_;  // the source's, then the targets'
  std::vector<std::string> lines_;
  bool is_faulty_ = false;  // whether the row just read is to be skipped
  LeftOut left_out_;
};

}  // namespace heed
