#include "heed/data/tar_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>

#include "heed/base/error.h"

namespace heed {
namespace {

constexpr std::uint64_t tar_block = 512;  // headers are one, and files are padded to whole ones
constexpr std::uint64_t most_name_bytes = std::uint64_t{1} << 20;  // of a header that holds names

/// A field of a header, up to its first zero.
std::string tar_text(const std::string& header, std::size_t at, std::size_t width) {
  const std::string_view whole = std::string_view(header).substr(at, width);
  return std::string(whole.substr(0, std::min(whole.find('\0'), whole.size())));
}

/// A number in octal digits between blanks and zeros; false where it is anything else.
bool tar_octal(std::string_view text, std::uint64_t& value) {
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  const std::size_t end =
      std::min(text.find_first_of(std::string_view(" \0", 2), begin), text.size());
  value = 0;
  const auto [stop, fault] = std::from_chars(text.data() + begin, text.data() + end, value, 8);
  return fault == std::errc{} && stop == text.data() + end;
}

/// The sum of a header's bytes, those of the checksum itself counted as blanks.
bool has_right_checksum(const std::string& header) {
  constexpr std::size_t at = 148;
  constexpr std::size_t width = 8;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < header.size(); ++i) {
    sum += i >= at && i < at + width ? ' ' : static_cast<unsigned char>(header[i]);
  }
  std::uint64_t said = 0;
  return tar_octal(std::string_view(header).substr(at, width), said) && said == sum;
}

std::string tar_name(const std::string& header) {
  const std::string name = tar_text(header, 0, 100);
  const bool is_ustar = header.compare(257, 6, std::string("ustar\0", 6)) == 0;
  const std::string prefix = is_ustar ? tar_text(header, 345, 155) : "";
  return prefix.empty() ? name : prefix + "/" + name;
}

/// Without the "./" that archives of a folder begin their names with.
std::string plain_name(std::string name) {
  while (name.starts_with("./")) {
    name.erase(0, 2);
  }
  return name;
}

}  // namespace

TarFile::TarFile(const std::string& path) : path_(path), file_(open_to_read(path)) {
  struct stat status {};
  if (::fstat(file_.number(), &status) != 0 || !S_ISREG(status.st_mode)) {
    fail(Fault::file, "{}: this is no file; give a tar archive", path);
  }
  end_ = static_cast<std::uint64_t>(status.st_size);
  index();
}

void TarFile::fail_at(std::uint64_t at, const std::string& saw) const {
  fail(Fault::file, "{}: there is {} at byte {}; give a whole tar archive that is not compressed",
       path_, saw, at);
}

std::string TarFile::bytes_at(const Place& place) const {
  std::string bytes(place.bytes, '\0');
  for (std::uint64_t done = 0; done < place.bytes;) {
    const ssize_t got = ::pread(file_.number(), bytes.data() + done, place.bytes - done,
                                static_cast<off_t>(place.begin + done));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      fail(Fault::file, "{}: cannot read it ({})", path_,
           got == 0 ? "it has become shorter" : std::strerror(errno));
    }
    done += static_cast<std::uint64_t>(got);
  }
  return bytes;
}

/// Twelve octal digits, or, where the first bit is set, a binary number (GNU).
std::uint64_t TarFile::read_size(const std::string& header, std::uint64_t at) const {
  constexpr std::size_t place = 124;
  constexpr std::size_t width = 12;
  std::uint64_t size = 0;
  if ((static_cast<unsigned char>(header[place]) & 0x80) == 0) {
    if (!tar_octal(std::string_view(header).substr(place, width), size)) {
      fail_at(at, "a header without a size");
    }
    return size;
  }
  for (std::size_t i = 1; i < width; ++i) {
    if (size >> 48 != 0) {
      fail_at(at, "a file that is larger than the archive");
    }
    size = size << 8 | static_cast<unsigned char>(header[place + i]);
  }
  return size;
}

/// Records of the form "LENGTH KEY=VALUE\n", where LENGTH counts all of the record.
void TarFile::take_pax(const std::string& records, std::uint64_t at, Said& said) const {
  std::string_view rest(records);
  while (!rest.empty()) {
    std::uint64_t length = 0;
    const auto [stop, fault] = std::from_chars(rest.data(), rest.data() + rest.size(), length);
    const auto digits = static_cast<std::uint64_t>(stop - rest.data());
    if (fault != std::errc{} || length < digits + 3 || length > rest.size() || *stop != ' ' ||
        rest[length - 1] != '\n') {
      fail_at(at, "a damaged extended header");
    }
    const std::string_view record = rest.substr(digits + 1, length - digits - 2);
    const std::size_t equals = std::min(record.find('='), record.size());
    const std::string_view key = record.substr(0, equals);
    const std::string_view value = record.substr(std::min(equals + 1, record.size()));
    if (key == "path") {
      said.name = value;
    } else if (key == "size") {
      const auto read = std::from_chars(value.data(), value.data() + value.size(), said.bytes);
      said.has_bytes = read.ec == std::errc{} && read.ptr == value.data() + value.size();
      if (!said.has_bytes) {
        fail_at(at, "an extended header with a damaged size");
      }
    }
    rest.remove_prefix(length);
  }
}

void TarFile::index() {
  Said said;
  for (std::uint64_t at = 0; at < end_;) {
    if (end_ - at < tar_block) {
      fail_at(at, "the middle of a header as its end");
    }
    const std::string header = bytes_at({at, tar_block});
    if (header.find_first_not_of('\0') == std::string::npos) {
      return;  // two blocks of zeros end an archive; whatever follows is padding
    }
    if (!has_right_checksum(header)) {
      fail_at(at, "a header with a wrong checksum");
    }
    const char kind = header[156];
    const bool is_about_next = kind == 'x' || kind == 'L' || kind == 'K' || kind == 'g';
    const std::uint64_t bytes =
        !is_about_next && said.has_bytes ? said.bytes : read_size(header, at);
    const std::uint64_t begin = at + tar_block;
    if (bytes > end_ - begin || (is_about_next && bytes > most_name_bytes)) {
      fail_at(at, "a file that is larger than the archive");
    }
    if (kind == 'x') {
      take_pax(bytes_at({begin, bytes}), at, said);
    } else if (kind == 'L') {
      said.name = tar_text(bytes_at({begin, bytes}), 0, bytes);
    } else if (!is_about_next) {
      if (kind == '0' || kind == '\0' || kind == '7') {
        places_[plain_name(said.name.empty() ? tar_name(header) : said.name)] = {begin, bytes};
      }
      said = {};
    }
    const std::uint64_t padding = (tar_block - bytes % tar_block) % tar_block;
    at = begin + std::min(bytes + padding, end_ - begin);
  }
}

std::string TarFile::read(const std::string& name, std::uint64_t most_bytes) const {
  const auto place = places_.find(plain_name(name));
  if (place == places_.end()) {
    fail(Fault::file, "{}: there is no file {} among its {} files; list them with tar -tf", path_,
         name, places_.size());
  }
  if (place->second.bytes > most_bytes) {
    fail(Fault::file, "{}#{}: {} bytes are more than the {} that can be read; give a smaller file",
         path_, name, place->second.bytes, most_bytes);
  }
  return bytes_at(place->second);
}

std::string TarFiles::read(const std::string& archive, const std::string& name,
                           std::uint64_t most_bytes) {
  std::shared_ptr<const TarFile> file;
  {
    const std::lock_guard lock(guard_);
    std::shared_ptr<const TarFile>& opened = opened_[archive];
    if (!opened) {
      opened = std::make_shared<const TarFile>(archive);
    }
    file = opened;
  }
  return file->read(name, most_bytes);
}

}  // namespace heed
