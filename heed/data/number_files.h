// Rows of numbers from files: ranges of raw little-endian float32 (plain or gzip), .npy files, and
// numbers written as text.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed {

/// Rows [first, first + count) of a file.
struct RowRange {
  std::string path;
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// Reads ranges; safe to use from several threads. The object keeps the compressed files that it read last in memory,
/// decompressed, as far as all of them have at most `most_kept` bytes; of a plain file it reads only the range.
class NumberFiles {
 public:
  explicit NumberFiles(std::uint64_t most_kept = std::uint64_t{1} << 28) : most_kept_(most_kept) {}
  std::vector<float> read(const RowRange& range, std::int64_t width);

 private:
  std::shared_ptr<const std::string> whole(const std::string& path);

  std::uint64_t most_kept_;
  std::mutex guard_;
  std::deque<std::pair<std::string, std::shared_ptr<const std::string>>> kept_;  // oldest first
};

/// Reads a matrix of float32 or float64 with `width` columns, as NumPy saves it; a vector if
/// `width` is 1. A compressed file is read as far as numbers can be compressed: 64 times its size, and 32 MiB.
std::vector<float> read_npy(const std::string& path, std::int64_t width);
/// The same of what such a file holds; messages call it `name`.
std::vector<float> npy_rows(std::string_view bytes, const std::string& name, std::int64_t width);
/// Whether bytes begin as an .npy file does.
bool is_npy(std::string_view bytes);

/// "0.5 1.5; 2 3": rows between semicolons, numbers between blanks or commas.
std::vector<float> parse_rows(std::string_view text, std::int64_t width);

}  // namespace heed
