#include "heed/base/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/file.h"

namespace heed {
namespace {

SaveWatcher& watcher() {
  static SaveWatcher only;
  return only;
}

void pass(SavePoint point) {
  if (watcher()) {
    watcher()(point);
  }
}

/// The file that a path leads to: symbolic links are followed, so that they stay links.
std::string resolved(const std::string& path) {
  std::error_code fault;
  if (std::filesystem::is_symlink(path, fault)) {
    const auto target = std::filesystem::weakly_canonical(path, fault);
    return fault ? path : target.string();
  }
  return path;
}

std::string temporary_name(const std::string& path) {
  static std::atomic<unsigned> serial{0};
  const std::size_t slash = path.find_last_of('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  return fmt::format("{}/.{}.{}-{}.tmp", directory_of(path), name, getpid(), ++serial);
}

int sync_directory(const std::string& directory) {
  Descriptor opened(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.is_open()) {
    return errno;
  }
  // Some network file systems cannot sync a directory and return EINVAL; nothing more can be done
  // there.
  return ::fsync(opened.number()) != 0 && errno != EINVAL ? errno : 0;
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path, std::uint64_t expected_bytes)
    : path_(resolved(path)), expected_(expected_bytes) {
  struct stat old {};
  const bool replaces = stat(path_.c_str(), &old) == 0;
  if (replaces && !S_ISREG(old.st_mode)) {
    fail(Fault::disk, "{}: there is something other than a file; choose another name", path_);
  }
  if (expected_ > 0 && free_bytes(path_) < expected_) {
    fail_writing("write", ENOSPC, expected_);
  }
  temporary_ = temporary_name(path_);
  file_ = Descriptor(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file_.is_open()) {
    const int reason = errno;
    temporary_.clear();
    if (const std::string folder = directory_of(path_);
        reason == ENOENT && !directory_exists(folder)) {
      fail(Fault::disk, "{}: the folder {} does not exist; make it, or choose another name", path_,
           folder);
    }
    fail_writing("create a file beside", reason, expected_);
  }
  if (replaces && ::fchmod(file_.number(), old.st_mode & 07777) != 0) {
    fail_writing("keep the rights of", errno, expected_);
  }
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::discard() {
  file_.close();
  if (!temporary_.empty()) {
    ::unlink(temporary_.c_str());
    temporary_.clear();
  }
}

void AtomicFile::fail_writing(const char* doing, int reason, std::uint64_t needed) {
  discard();
  if (reason == ENOSPC || reason == EDQUOT) {
    fail(Fault::disk, "{}: cannot {} it ({}): needs {} bytes, {} free; make room", path_, doing,
         std::strerror(reason), needed, free_bytes(path_));
  }
  fail(Fault::disk, "{}: cannot {} it ({}); check the path, its permissions and the disk", path_,
       doing, std::strerror(reason));
}

void AtomicFile::write(std::string_view bytes) { write(bytes.data(), bytes.size()); }

void AtomicFile::write(const void* data, std::size_t bytes) {
  require(file_.is_open(), "{}: saw a write after the end, needs it before; open the file anew",
          path_);
  const std::string_view all(static_cast<const char*>(data), bytes);
  expected_ = std::max<std::uint64_t>(expected_, written_ + bytes);
  constexpr std::size_t most = std::size_t{1} << 20;
  for (std::size_t first = 0; first < all.size(); first += most) {
    const std::string_view piece = all.substr(first, most);
    const std::size_t half = watcher() ? piece.size() / 2 : 0;
    put(piece.substr(0, half));
    pass(SavePoint::write);
    put(piece.substr(half));
  }
}

void AtomicFile::put(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(file_.number(), bytes.data(), bytes.size());
    if (done < 0 && errno != EINTR) {
      fail_writing("write", errno, expected_);
    }
    if (done > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(done));
      written_ += static_cast<std::uint64_t>(done);
    }
  }
}

void AtomicFile::commit() {
  require(file_.is_open(), "{}: saw a second commit, needs one; open the file anew", path_);
  pass(SavePoint::sync);
  if (::fsync(file_.number()) != 0) {
    fail_writing("make durable", errno, written_);
  }
  if (const int reason = file_.close(); reason != 0) {
    fail_writing("close", reason, written_);
  }
  pass(SavePoint::rename);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) {
    fail_writing("rename", errno, written_);
  }
  temporary_.clear();
  pass(SavePoint::sync);
  if (const int reason = sync_directory(directory_of(path_)); reason != 0) {
    fail_writing("make durable the name of", reason, written_);
  }
}

void watch_saves(SaveWatcher wanted) { watcher() = std::move(wanted); }

void write_atomically(const std::string& path, std::string_view bytes) {
  AtomicFile file(path, bytes.size());
  file.write(bytes);
  file.commit();
}

}  // namespace heed
