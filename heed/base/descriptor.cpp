#include "heed/base/descriptor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "heed/base/error.h"

namespace heed {

int Descriptor::close() {
  const int number = std::exchange(number_, -1);
  // close is not retried after EINTR: Linux has freed the number by then.
  return number > STDERR_FILENO && ::close(number) != 0 ? errno : 0;
}

void reserve_standard_streams() {
  // Opened for the other direction, so that using a closed stream fails with EBADF.
  constexpr std::array directions = {O_WRONLY, O_RDONLY, O_WRONLY};
  for (int number = STDIN_FILENO; number <= STDERR_FILENO; ++number) {
    if (fcntl(number, F_GETFD) == -1 && errno == EBADF) {
      // This is the lowest free number, because those below were taken before.
      ::open("/dev/null", directions[static_cast<std::size_t>(number)]);
    }
  }
}

namespace {

/// What a file is if it is none that can be read whole; nothing if it can.
const char* kind_of_no_file(int number) {
  struct stat status {};
  if (fstat(number, &status) != 0) {
    return nullptr;
  }
  if (S_ISDIR(status.st_mode)) {
    return "a directory";
  }
  struct statfs system {};
  constexpr long system_of_pipes = 0x50495045;  // PIPEFS_MAGIC: the pipe has no name
  if (S_ISFIFO(status.st_mode) && fstatfs(number, &system) == 0 &&
      system.f_type != system_of_pipes) {
    return "a named pipe";
  }
  constexpr dev_t null_device = (1 << 8) | 3;
  const bool is_device = S_ISBLK(status.st_mode) || S_ISCHR(status.st_mode);
  return is_device && status.st_rdev != null_device && isatty(number) == 0 ? "a device" : nullptr;
}

Descriptor opened(const std::string& path, int flags) {
  if (path == "-") {
    return Descriptor(STDIN_FILENO);
  }
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | flags));
  if (!file.is_open()) {
    fail(Fault::file, "{}: cannot open ({}); check the path and its permissions", path,
         std::strerror(errno));
  }
  return file;
}

[[noreturn]] void fail_no_file(const std::string& path, const char* kind) {
  fail(Fault::file, "{}: this is {}, not a file; name {}", path, kind,
       std::string_view(kind) == "a directory" ? "a file in it" : "a regular file");
}

}  // namespace

Descriptor open_to_read(const std::string& path) {
  // O_NONBLOCK: opening a named pipe would wait for a writer.
  Descriptor file = opened(path, O_NONBLOCK);
  if (path == "-") {
    return file;
  }
  if (const char* kind = kind_of_no_file(file.number()); kind != nullptr) {
    fail_no_file(path, kind);
  }
  fcntl(file.number(), F_SETFL, fcntl(file.number(), F_GETFL) & ~O_NONBLOCK);
  return file;
}

Descriptor open_stream(const std::string& path) {
  Descriptor file = opened(path, 0);
  struct stat status {};
  if (fstat(file.number(), &status) == 0 && S_ISDIR(status.st_mode)) {
    fail_no_file(path, "a directory");
  }
  return file;
}

std::size_t read_some(const Descriptor& file, const std::string& path, void* buffer,
                      std::size_t room) {
  constexpr std::size_t most_at_once = std::size_t{1} << 30;
  while (true) {
    const ssize_t got = ::read(file.number(), buffer, std::min(room, most_at_once));
    if (got >= 0) {
      return static_cast<std::size_t>(got);
    }
    if (errno != EINTR) {
      fail(Fault::file, "{}: cannot read ({}); check the disk", path, std::strerror(errno));
    }
  }
}

}  // namespace heed
