// Lines of a text file, plain or gzip (told apart by its first bytes), or of standard input for
// "-".
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace heed {

enum class LineFound { line, too_long, none };

class LineReader {
 public:
  /// A line longer than `most_line_bytes`, its end included, is never held whole, so that a wrong
  /// file cannot fill the memory.
  explicit LineReader(const std::string& path, std::size_t most_line_bytes = std::size_t{1} << 24);
  ~LineReader();
  LineReader(LineReader&&) noexcept;
  LineReader& operator=(LineReader&&) noexcept;

  /// The next line without "\n" or "\r\n", and without a byte order mark at the start of the file;
  /// false at the end. A last line without its newline counts. One that is too long is an Error.
  bool next(std::string& line);
  /// Like next, but a line that is too long is no Error: `line` gets its beginning, and the next
  /// call continues after its end.
  LineFound find(std::string& line);
  /// Whether the next read will not wait for a writer: there are bytes, or the file has ended.
  bool has_more_at_hand() const;
  /// The number of the last line returned, from 1.
  std::int64_t line_number() const { return line_number_; }
  const std::string& path() const { return path_; }
  std::size_t most_line_bytes() const { return most_line_bytes_; }
  /// `path:line`, to begin an error with.
  std::string where() const;

 private:
  class Source;

  void pass_over_rest();

  std::string path_;
  std::size_t most_line_bytes_;
  std::unique_ptr<Source> source_;
  bool is_inside_line_ = false;  // of a line that was too long
  std::int64_t line_number_ = 0;
};

}  // namespace heed
