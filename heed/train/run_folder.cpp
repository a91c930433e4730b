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

/// Some network file systems have no locks; users must then take care themselves.
void take_lock(const Descriptor& file, const std::string& run) {
  if (::flock(file.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    fail(Fault::usage, "{}: another process is training in it; wait, or choose another folder",
         run);
  }
}

Descriptor locked_folder(const std::string& run) {
  Descriptor folder(::open(run.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.is_open()) {
    take_lock(folder, run);
  }
  return folder;
}

Descriptor locked(const std::string& run) {
  const std::string path = run + "/lock";
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!file.is_open()) {
    fail(Fault::disk, "{}: cannot create it ({}); check the path, its permissions and the disk",
         path, std::strerror(errno));
  }
  take_lock(file, run);
  return file;
}

}  // namespace

RunFolder::RunFolder(std::string path) : path_(std::move(path)), is_new_(!directory_exists(path_)) {
  make_directory(path_);
  folder_lock_ = locked_folder(path_);
  lock_ = locked(path_);
  make_directory(checkpoints());
  remove_temporaries(path_);
  remove_temporaries(checkpoints());
  if (directory_exists(samples())) {
    remove_temporaries(samples());
  }
}

void RunFolder::give_up() {
  if (is_new_) {
    ::unlink((path_ + "/lock").c_str());
    ::rmdir(checkpoints().c_str());
    ::rmdir(path_.c_str());
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
  const Descriptor folder = locked_folder(bare);
  const Descriptor lock = locked(bare);
  int number = 1;
  while (file_exists(fmt::format("{}.{}", bare, number)) ||
         directory_exists(fmt::format("{}.{}", bare, number))) {
    ++number;
  }
  std::string aside = fmt::format("{}.{}", bare, number);
  if (std::rename(bare.c_str(), aside.c_str()) != 0) {
    fail(Fault::disk, "{}: cannot rename it to {} ({}); check its permissions", bare, aside,
         std::strerror(errno));
  }
  return aside;
}

}  // namespace heed
