#include "heed/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>
#include <system_error>

#include "heed/base/descriptor.h"
#include "heed/base/error.h"

namespace heed {
namespace {

[[noreturn]] void fail_too_large(const std::string& path, std::uint64_t most_bytes) {
  fail(Fault::file,
       "{}: it is larger than {} bytes, the most that can be read; give a smaller file", path,
       most_bytes);
}

}  // namespace

std::string read_file(const std::string& path, std::uint64_t most_bytes) {
  const Descriptor file = open_to_read(path);
  struct stat status {};
  std::string bytes;
  if (fstat(file.number(), &status) == 0 && S_ISREG(status.st_mode)) {
    const auto size = static_cast<std::uint64_t>(status.st_size);
    if (size > most_bytes) {
      fail_too_large(path, most_bytes);
    }
    bytes.resize(size + 1);  // one byte more, so that the end is found without growing
  } else {
    bytes.resize(1 << 16);
  }
  std::size_t filled = 0;
  while (true) {
    const std::size_t got = read_some(file, path, bytes.data() + filled, bytes.size() - filled);
    filled += got;
    if (filled > most_bytes) {
      fail_too_large(path, most_bytes);
    }
    if (got == 0) {
      bytes.resize(filled);
      return bytes;
    }
    if (filled == bytes.size()) {
      bytes.resize(2 * bytes.size());
    }
  }
}

bool file_exists(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && !S_ISDIR(status.st_mode);
}

bool directory_exists(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

bool is_regular_file(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

void make_directory(const std::string& path) {
  std::error_code fault;
  std::filesystem::create_directories(path, fault);
  if (!directory_exists(path)) {
    fail(Fault::disk, "{}: cannot make this directory ({}); check the path and its permissions",
         path, fault ? fault.message() : "something else has its name");
  }
}

std::vector<std::string> list_directory(const std::string& path) {
  std::error_code fault;
  std::vector<std::string> names;
  std::filesystem::directory_iterator entry(path, fault);
  for (; !fault && entry != std::filesystem::directory_iterator(); entry.increment(fault)) {
    names.push_back(entry->path().filename().string());
  }
  if (fault) {
    fail(Fault::file, "{}: cannot list this directory ({}); check the path and its permissions",
         path, fault.message());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::uint64_t free_bytes(const std::string& path) {
  struct statvfs status {};
  std::string at = path;  // or the nearest directory above it that exists
  while (statvfs(at.c_str(), &status) != 0) {
    const int reason = errno;
    const std::string above = directory_of(at);
    if (reason != ENOENT || above == at) {
      fail(Fault::disk, "{}: cannot ask for free space ({}); check the path", path,
           std::strerror(reason));
    }
    at = above;
  }
  return std::uint64_t{status.f_bavail} * status.f_frsize;
}

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) {
    return ".";
  }
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace heed
