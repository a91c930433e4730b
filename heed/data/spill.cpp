#include "heed/data/spill.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/nameless_file.h"

namespace heed {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

[[noreturn]] void fail_in(const std::string& folder, const char* doing, int reason) {
  fail(Fault::disk,
       "{}: cannot {} the file of data that does not fit into memory ({}); {} bytes are free; make "
       "room there, or allow more memory",
       folder, doing, std::strerror(reason), free_bytes(folder));
}

}  // namespace

class SpilledBytes::Map {
 public:
  Map(void* start, std::size_t bytes) : start_(start), bytes_(bytes) {}
  ~Map() { ::munmap(start_, bytes_); }
  Map(const Map&) = delete;
  Map& operator=(const Map&) = delete;

  const std::byte* data() const { return static_cast<const std::byte*>(start_); }
  /// Loses nothing, because the pages are those of the file.
  void release() const { ::madvise(start_, bytes_, MADV_DONTNEED); }

 private:
  void* start_;
  std::size_t bytes_;
};

SpilledBytes::SpilledBytes() = default;
SpilledBytes::~SpilledBytes() = default;
SpilledBytes::SpilledBytes(SpilledBytes&&) noexcept = default;
SpilledBytes& SpilledBytes::operator=(SpilledBytes&&) noexcept = default;

void SpilledBytes::append(const void* bytes, std::size_t count) {
  const auto* first = static_cast<const std::byte*>(bytes);
  memory_.insert(memory_.end(), first, first + count);
  if (is_on_disk() && memory_.size() >= buffer_bytes) {
    write_out();
  }
}

void SpilledBytes::move_to_disk(const std::string& folder) {
  folder_ = folder.empty() ? temporary_folder() : folder;
  make_directory(folder_);
  file_ = nameless_file(folder_);
  if (!file_.is_open()) {
    fail_in(folder_, "make", errno);
  }
  write_out();
  memory_.shrink_to_fit();
}

void SpilledBytes::write_out() {
  for (std::size_t done = 0; done < memory_.size();) {
    const ssize_t count = ::write(file_.number(), memory_.data() + done, memory_.size() - done);
    if (count < 0 && errno != EINTR) {
      fail_in(folder_, "write", errno);
    }
    done += count < 0 ? 0 : static_cast<std::size_t>(count);
  }
  written_ += memory_.size();
  memory_.clear();
}

void SpilledBytes::finish() {
  if (!is_on_disk()) {
    memory_.shrink_to_fit();
    return;
  }
  write_out();
  memory_ = {};
  if (written_ == 0) {
    return;
  }
  void* start = ::mmap(nullptr, written_, PROT_READ, MAP_SHARED, file_.number(), 0);
  if (start == MAP_FAILED) {
    fail_in(folder_, "map", errno);
  }
  map_ = std::make_unique<Map>(start, written_);
}

void SpilledBytes::release() const {
  if (map_) {
    map_->release();
  }
}

const std::byte* SpilledBytes::data() const { return map_ ? map_->data() : memory_.data(); }

}  // namespace heed
