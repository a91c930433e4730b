// Rows of numbers from files: ranges of raw little-endian float32 (plain or gzip), .npy files, and
// numbers written as text.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

/// Rows [first, first + count) of a file.
struct RowRange {
  std::string path;
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// Reads ranges; safe to use from several threads. The object keeps every compressed file in
/// memory, decompressed; of a plain file it reads only the range.
class NumberFiles {
 public:
  std::vector<float> read(const RowRange& range, std::int64_t width);

 private:
  std::shared_ptr<const std::string> whole(const std::string& path);

  std::mutex guard_;
  std::map<std::string, std::shared_ptr<const std::string>> kept_;
};

/// Reads a matrix of float32 or float64 with `width` columns, as NumPy saves it; a vector if
/// `width` is 1.
std::vector<float> read_npy(const std::string& path, std::int64_t width);

/// "0.5 1.5; 2 3": rows between semicolons, numbers between blanks or commas.
std::vector<float> parse_rows(std::string_view text, std::int64_t width);

}  // namespace heed
