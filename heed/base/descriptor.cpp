#include "heed/base/descriptor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

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

Descriptor open_to_read(const std::string& path) {
  if (path == "-") {
    return Descriptor(STDIN_FILENO);
  }
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) {
    fail(Fault::file, "{}: cannot open ({}); check the path and your rights", path,
         std::strerror(errno));
  }
  struct stat status {};
  if (fstat(file.number(), &status) == 0 && S_ISDIR(status.st_mode)) {
    fail(Fault::file, "{}: saw a directory, needs a file; name a file in it", path);
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
