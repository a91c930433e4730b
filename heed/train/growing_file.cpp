#include "heed/train/growing_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "heed/base/error.h"

namespace heed {

GrowingFile::GrowingFile(std::string path, Unopened unopened)
    : path_(std::move(path)), unopened_(unopened) {
  is_opened();
}

bool GrowingFile::is_opened() {
  if (file_.is_open()) {
    return true;
  }
  file_ = Descriptor(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
  if (file_.is_open()) {
    return true;
  }
  const int reason = errno;
  const bool is_full = reason == ENOSPC || reason == EDQUOT;
  trouble_ =
      is_full ? fmt::format("{}: cannot make it ({}); make room", path_, std::strerror(reason))
              : fmt::format("{}: cannot open it ({}); check the path, its permissions and the disk",
                            path_, std::strerror(reason));
  if (!is_full && unopened_ == Unopened::fails) {
    fail(Fault::disk, "{}", trouble_);
  }
  return false;
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
