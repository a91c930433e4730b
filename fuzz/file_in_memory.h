// A file without a disk, for readers that take a path: one for the whole process, whose contents
// change with every input.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "fuzz/fuzz_target.h"

namespace heed::fuzz {

class FileInMemory {
 public:
  FileInMemory() : number_(memfd_create("fuzz", MFD_CLOEXEC)) {
    if (number_ < 0) {
      report("saw no file in memory", "memfd_create failed");
    }
  }
  ~FileInMemory() { ::close(number_); }
  FileInMemory(const FileInMemory&) = delete;
  FileInMemory& operator=(const FileInMemory&) = delete;

  /// The path of a file with these contents, until the next call.
  std::string with(const std::string& contents) const {
    const auto size = static_cast<ssize_t>(contents.size());
    if (ftruncate(number_, 0) != 0 ||
        pwrite(number_, contents.data(), contents.size(), 0) != size) {
      report("saw a file in memory that cannot be written", "pwrite failed");
    }
    return "/proc/self/fd/" + std::to_string(number_);
  }

 private:
  int number_;
};

}  // namespace heed::fuzz
