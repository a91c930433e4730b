#include "heed/model/file/file_bytes.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "heed/base/error.h"

namespace heed {
namespace {

class BytesInMemory : public ByteSource {
 public:
  explicit BytesInMemory(std::string bytes) : bytes_(std::move(bytes)) {}

  std::uint64_t size() const override { return bytes_.size(); }
  void read(std::uint64_t from, char* to, std::size_t count) const override {
    require(from <= bytes_.size() && count <= bytes_.size() - from,
            "bytes: saw {} from {} on, needs them within {}", count, from, bytes_.size());
    std::memcpy(to, bytes_.data() + from, count);
  }

 private:
  std::string bytes_;
};

class BytesOfFile : public ByteSource {
 public:
  BytesOfFile(Descriptor file, std::string path)
      : file_(std::move(file)), path_(std::move(path)), first_(status()) {}

  std::uint64_t size() const override { return static_cast<std::uint64_t>(first_.st_size); }
  void read(std::uint64_t from, char* to, std::size_t count) const override {
    for (std::size_t done = 0; done < count;) {
      const ssize_t got =
          ::pread(file_.number(), to + done, count - done, static_cast<off_t>(from + done));
      if (got < 0 && errno != EINTR) {
        fail(Fault::file, "{}: cannot read ({}); check the disk", path_, std::strerror(errno));
      }
      if (got == 0) {
        refuse_changed();
      }
      done += got > 0 ? static_cast<std::size_t>(got) : 0;
    }
    // The hash was that of the file as it was, so these bytes must still be its.
    const struct stat now = status();
    if (now.st_size != first_.st_size || now.st_mtim.tv_sec != first_.st_mtim.tv_sec ||
        now.st_mtim.tv_nsec != first_.st_mtim.tv_nsec) {
      refuse_changed();
    }
  }

 private:
  struct stat status() const {
    struct stat found {};
    if (::fstat(file_.number(), &found) != 0) {
      fail(Fault::file, "{}: cannot read ({}); check the disk", path_, std::strerror(errno));
    }
    return found;
  }
  [[noreturn]] void refuse_changed() const {
    fail(Fault::file, "{}: the file changed while it was read; try again", path_);
  }

  Descriptor file_;
  std::string path_;
  struct stat first_;  // what the file was when it was opened
};

}  // namespace

std::string ByteSource::text(std::uint64_t from, std::size_t count) const {
  std::string bytes(count, '\0');
  read(from, bytes.data(), count);
  return bytes;
}

std::shared_ptr<const ByteSource> bytes_in_memory(std::string bytes) {
  return std::make_shared<const BytesInMemory>(std::move(bytes));
}

std::shared_ptr<const ByteSource> bytes_of_file(Descriptor file, const std::string& path) {
  return std::make_shared<const BytesOfFile>(std::move(file), path);
}

bool is_regular_file(const Descriptor& file) {
  struct stat status {};
  return ::fstat(file.number(), &status) == 0 && S_ISREG(status.st_mode);
}

FileBytes::FileBytes(std::string own) : size_(own.size()) {
  whole_ = bytes_in_memory(std::move(own));
}

FileBytes::FileBytes(std::shared_ptr<const ByteSource> whole, std::uint64_t begin, std::size_t size)
    : whole_(std::move(whole)), begin_(begin), size_(size) {}

}  // namespace heed
