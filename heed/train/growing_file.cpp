#include "heed/train/growing_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "heed/base/error.h"

namespace heed {

GrowingFile::GrowingFile(std::string path) : path_(std::move(path)) { is_opened(); }

bool GrowingFile::is_opened() {
  if (file_.is_open()) {
    return true;
  }
  file_ = Descriptor(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
  const int reason = errno;
  if (!file_.is_open() && reason != ENOSPC && reason != EDQUOT) {
    fail(Fault::disk, "{}: cannot open it ({}); check the path, its permissions and the disk",
         path_, std::strerror(reason));
  }
  if (!file_.is_open()) {
    trouble_ = fmt::format("{}: cannot make it ({}); make room", path_, std::strerror(reason));
  }
  return file_.is_open();
}

void GrowingFile::add(std::string_view bytes) {
  waiting_ += bytes;
  if (!is_opened()) {
    return;
  }
  trouble_.clear();
  while (!waiting_.empty()) {
    const ssize_t written = ::write(file_.number(), waiting_.data(), waiting_.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      trouble_ = fmt::format("{}: cannot add {} bytes ({}); make room", path_, waiting_.size(),
                             written < 0 ? std::strerror(errno) : "no room");
      return;
    }
    waiting_.erase(0, static_cast<size_t>(written));
  }
}

}  // namespace heed
