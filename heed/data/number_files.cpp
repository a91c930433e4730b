#include "heed/data/number_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "heed/base/descriptor.h"
#include "heed/base/error.h"
#include "heed/base/gzip_file.h"

namespace heed {
namespace {

static_assert(std::endian::native == std::endian::little);

struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
};

/// The bytes of these rows in a file of this size.
ByteRange bytes_of(const RowRange& range, std::int64_t width, std::uint64_t file_bytes) {
  const std::uint64_t row_bytes = static_cast<std::uint64_t>(width) * sizeof(float);
  const auto rows = static_cast<std::int64_t>(file_bytes / row_bytes);
  if (file_bytes % row_bytes != 0) {
    fail(Fault::file,
         "{}: {} bytes are not whole rows of {} float32 numbers; set data.source.width", range.path,
         file_bytes, width);
  }
  if (range.first > rows || range.count > rows - range.first) {
    fail(Fault::file, "{}: rows {} to {} are asked for, but there are only {}; correct the table",
         range.path, range.first, range.first + range.count, rows);
  }
  return {static_cast<std::uint64_t>(range.first) * row_bytes,
          static_cast<std::uint64_t>(range.count) * row_bytes};
}

bool is_gzip(const Descriptor& file) {
  unsigned char magic[2] = {0, 0};
  return ::pread(file.number(), magic, 2, 0) == 2 && magic[0] == 0x1f && magic[1] == 0x8b;
}

void read_at(const Descriptor& file, const std::string& path, ByteRange range, void* out) {
  auto* at = static_cast<char*>(out);
  while (range.size > 0) {
    const ssize_t got = ::pread(file.number(), at, range.size, static_cast<off_t>(range.begin));
    if (got <= 0 && errno != EINTR) {
      fail(Fault::file, "{}: cannot read it ({})", path,
           got == 0 ? "it has become shorter" : std::strerror(errno));
    }
    const auto count = static_cast<std::uint64_t>(got < 0 ? 0 : got);
    at += count;
    range.begin += count;
    range.size -= count;
  }
}

/// The text between `key`: and the next comma outside brackets, in a NumPy header.
std::string npy_value(const std::string& header, const std::string& key, const std::string& path) {
  const std::size_t at = header.find("'" + key + "':");
  if (at == std::string::npos) {
    fail(Fault::file, "{}: its header has no {}; give an .npy file as NumPy saves it", path, key);
  }
  const std::size_t begin =
      std::min(header.find_first_not_of(' ', at + key.size() + 3), header.size());
  const bool is_tuple = begin < header.size() && header[begin] == '(';
  const std::size_t end = header.find(is_tuple ? ")" : ",", begin);
  return header.substr(begin, end == std::string::npos ? end : end - begin);
}

/// Rows and columns of "(120, 13" or "(120,".
std::pair<std::int64_t, std::int64_t> npy_shape(std::string_view tuple, const std::string& path) {
  std::vector<std::int64_t> sizes;
  for (std::size_t i = 0; i < tuple.size();) {
    std::int64_t size = 0;
    const auto [end, fault] = std::from_chars(tuple.data() + i, tuple.data() + tuple.size(), size);
    if (fault == std::errc{}) {
      sizes.push_back(size);
      i = static_cast<std::size_t>(end - tuple.data());
    } else {
      ++i;
    }
  }
  if (sizes.empty() || sizes.size() > 2) {
    fail(Fault::file, "{}: this is an array of {} axes; give a matrix of rows", path, sizes.size());
  }
  constexpr std::int64_t most = std::int64_t{1} << 30;
  for (const std::int64_t size : sizes) {
    if (size < 0 || size > most) {
      fail(Fault::file, "{}: an axis has {} elements, but may have 0 to {}; the file is corrupt",
           path, size, most);
    }
  }
  return {sizes[0], sizes.size() == 2 ? sizes[1] : 1};
}

/// All bytes of a file, decompressed. Numbers may be compressed well, but not a thousandfold: a small file that grows
/// to hundreds of megabytes is none of numbers.
std::string read_numbers(const std::string& path) {
  std::error_code none;  // what cannot be read is said when it is read
  const std::uintmax_t size = std::filesystem::file_size(path, none);
  constexpr std::uint64_t most_of_any = std::uint64_t{1} << 34;
  return read_gzip_or_plain(
      path, none ? most_of_any
                 : std::min<std::uint64_t>(most_of_any, (std::uint64_t{32} << 20) + 64 * size));
}

template <class T>
std::vector<float> floats_of(std::string_view bytes) {
  std::vector<float> numbers(bytes.size() / sizeof(T));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    T one{};
    std::memcpy(&one, bytes.data() + i * sizeof(T), sizeof(T));
    numbers[i] = static_cast<float>(one);
  }
  return numbers;
}

}  // namespace

std::shared_ptr<const std::string> NumberFiles::whole(const std::string& path) {
  const std::lock_guard lock(guard_);
  const auto found = std::find_if(kept_.begin(), kept_.end(),
                                  [&path](const auto& one) { return one.first == path; });
  if (found != kept_.end()) {
    return found->second;
  }
  kept_.emplace_back(path, std::make_shared<const std::string>(read_numbers(path)));
  std::uint64_t bytes = 0;
  for (const auto& one : kept_) {
    bytes += one.second->size();
  }
  while (kept_.size() > 1 && bytes > most_kept_) {
    bytes -= kept_.front().second->size();
    kept_.pop_front();
  }
  return kept_.back().second;
}

std::vector<float> NumberFiles::read(const RowRange& range, std::int64_t width) {
  const Descriptor file = open_to_read(range.path);
  if (is_gzip(file)) {
    const auto bytes = whole(range.path);
    const ByteRange part = bytes_of(range, width, bytes->size());
    return floats_of<float>(std::string_view(*bytes).substr(part.begin, part.size));
  }
  struct stat status {};
  ::fstat(file.number(), &status);
  const ByteRange part = bytes_of(range, width, static_cast<std::uint64_t>(status.st_size));
  std::vector<float> numbers(part.size / sizeof(float));
  read_at(file, range.path, part, numbers.data());
  return numbers;
}

std::vector<float> read_npy(const std::string& path, std::int64_t width) {
  return npy_rows(read_numbers(path), path, width);
}

bool is_npy(std::string_view bytes) { return bytes.starts_with("\x93NUMPY"); }

std::vector<float> npy_rows(std::string_view bytes, const std::string& path, std::int64_t width) {
  if (bytes.size() < 12 || !is_npy(bytes)) {
    fail(Fault::file, "{}: this is no .npy file; give one as NumPy saves it", path);
  }
  const std::size_t length_bytes = bytes[6] == 1 ? 2 : 4;
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) {
    length |= std::size_t{static_cast<unsigned char>(bytes[8 + i])} << (8 * i);
  }
  const std::size_t start = 8 + length_bytes + length;
  const std::string header(bytes.substr(std::min(8 + length_bytes, bytes.size()), length));
  const std::string type = npy_value(header, "descr", path);
  const auto [rows, columns] = npy_shape(npy_value(header, "shape", path), path);
  const std::size_t number_bytes = type == "'<f4'" ? 4 : type == "'<f8'" ? 8 : 0;
  if (number_bytes == 0 || npy_value(header, "fortran_order", path) != "False") {
    fail(Fault::file, "{}: its numbers are of type {}; give '<f4' or '<f8', row by row", path,
         type);
  }
  if (columns != width || start > bytes.size() ||
      bytes.size() - start != static_cast<std::size_t>(rows * columns) * number_bytes) {
    fail(Fault::file,
         "{}: it has {} rows of {} numbers in {} bytes, but a row must have {} (data.source.width)",
         path, rows, columns, bytes.size(), width);
  }
  const std::string_view data = bytes.substr(start);
  return number_bytes == 4 ? floats_of<float>(data) : floats_of<double>(data);
}

std::vector<float> parse_rows(std::string_view text, std::int64_t width) {
  std::vector<float> numbers;
  std::int64_t in_row = 0;
  const auto end_row = [&] {
    if (in_row != width) {
      fail(Fault::file,
           "features: a row has {} numbers, but must have {}; put blanks between numbers and ; "
           "between rows",
           in_row, width);
    }
    in_row = 0;
  };
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == ' ' || text[i] == ',') {
      ++i;
    } else if (text[i] == ';') {
      end_row();
      ++i;
    } else {
      float number = 0;
      const auto [end, fault] = std::from_chars(text.data() + i, text.data() + text.size(), number);
      if (fault != std::errc{}) {
        fail(Fault::file,
             "features: \"{}\" must be numbers, FILE.npy, or FILE:FIRST:COUNT with rows of float32 "
             "numbers",
             text.substr(0, 60));
      }
      numbers.push_back(number);
      ++in_row;
      i = static_cast<std::size_t>(end - text.data());
    }
  }
  if (in_row > 0) {
    end_row();
  }
  return numbers;
}

}  // namespace heed
