#include "heed/train/run_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "heed/base/error.h"
#include "heed/base/file.h"

namespace heed {
namespace {

void remove_temporaries(const std::string& folder) {
  for (const std::string& name : list_directory(folder)) {
    if (name.starts_with(".") && name.ends_with(".tmp")) {
      ::unlink(fmt::format("{}/{}", folder, name).c_str());
    }
  }
}

Descriptor locked(const std::string& run) {
  const std::string path = run + "/lock";
  Descriptor lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!lock.is_open()) {
    fail(Fault::disk, "{}: cannot create it ({}); check the path, your rights and the disk", path,
         std::strerror(errno));
  }
  // Some network file systems have no locks; users must then take care themselves.
  if (::flock(lock.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    fail(Fault::usage,
         "{}: saw another process training in it, needs it alone; wait, or choose another folder",
         run);
  }
  return lock;
}

}  // namespace

RunFolder::RunFolder(std::string path) : path_(std::move(path)) {
  make_directory(path_);
  make_directory(checkpoints());
  lock_ = locked(path_);
  remove_temporaries(path_);
  remove_temporaries(checkpoints());
  if (directory_exists(samples())) {
    remove_temporaries(samples());
  }
}

std::string set_aside(const std::string& run) {
  if (!directory_exists(run)) {
    return "";
  }
  std::string bare = run;
  while (bare.size() > 1 && bare.ends_with("/")) {
    bare.pop_back();
  }
  const Descriptor lock = locked(bare);
  int number = 1;
  while (file_exists(fmt::format("{}.{}", bare, number)) ||
         directory_exists(fmt::format("{}.{}", bare, number))) {
    ++number;
  }
  std::string aside = fmt::format("{}.{}", bare, number);
  if (std::rename(bare.c_str(), aside.c_str()) != 0) {
    fail(Fault::disk, "{}: cannot rename it to {} ({}); check your rights", bare, aside,
         std::strerror(errno));
  }
  return aside;
}

}  // namespace heed
