#include "heed/base/gzip_file.h"

#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "heed/base/allowance.h"
#include "heed/base/descriptor.h"
#include "heed/base/error.h"

namespace heed {
namespace {

/// Bytes to ask for at first: about as many as the file has, so that a small one is read cheaply.
unsigned first_step(const Descriptor& file, unsigned most) {
  struct stat status {};
  if (::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return most;
  }
  constexpr std::int64_t least = 1 << 12;
  return static_cast<unsigned>(std::clamp<std::int64_t>(status.st_size + 1, least, most));
}

}  // namespace

std::string read_gzip_or_plain(const std::string& path, std::uint64_t most_bytes) {
  const Descriptor opened = open_to_read(path);
  const int copy = dup(opened.number());  // which gzclose closes
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzdopen(copy, "rb"), gzclose);
  if (!file) {
    ::close(copy);
    fail("{}: cannot start to read it ({}); free some memory", path, std::strerror(errno));
  }
  constexpr unsigned most_step = 1U << 20;
  unsigned step = first_step(opened, most_step);
  gzbuffer(file.get(), step);
  std::string bytes;
  HeldBytes held;
  for (;; step = std::min(2 * step, most_step)) {
    check_goes_on();
    const std::size_t before = bytes.size();
    bytes.resize(before + step);
    held.grow_to(bytes.capacity());
    const int got = gzread(file.get(), bytes.data() + before, step);
    if (got < 0) {
      int code = 0;
      fail(Fault::file, "{}: the gzip data is damaged ({}); get the file again", path,
           gzerror(file.get(), &code));
    }
    bytes.resize(before + static_cast<std::size_t>(got));
    if (bytes.size() > most_bytes) {
      fail(Fault::file,
           "{}: decompressed it has more than {} bytes, the most that is read of a file of its "
           "size; "
           "decompress it, or give a smaller one",
           path, most_bytes);
    }
    if (static_cast<unsigned>(got) < step) {
      break;
    }
  }
  if (int code = Z_OK; gzerror(file.get(), &code), code != Z_OK && code != Z_STREAM_END) {
    fail(Fault::file, "{}: the gzip data ends too early; get the file again", path);
  }
  return bytes;
}

}  // namespace heed
