#include "heed/data/feature_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/nameless_file.h"

namespace heed {
namespace {

constexpr const char* mark = "heed features 1\n";
constexpr int64_t most_cells = int64_t{1} << 28;

/// The beginning of a grid in the file.
struct Head {
  FeatureCache::Key key;
  FeatureCache::Key hash;  // of what follows
  std::array<int32_t, 3> shape;

  bool is_sound() const {
    int64_t cells = 1;
    for (const int32_t length : shape) {
      if (length < 1 || cells > most_cells / length) {
        return false;
      }
      cells *= length;
    }
    return true;
  }
  uint64_t cell_bytes() const {
    return uint64_t{sizeof(float)} * static_cast<uint64_t>(shape[0]) *
           static_cast<uint64_t>(shape[1]) * static_cast<uint64_t>(shape[2]);
  }
};
static_assert(sizeof(Head) == 76);

FeatureCache::Key hash_of(const std::array<int32_t, 3>& shape, const std::vector<float>& cells) {
  return Sha256()
      .update(shape.data(), sizeof(shape))
      .update(cells.data(), cells.size() * sizeof(float))
      .finish();
}

std::string file_in(const std::string& folder) { return folder + "/features.cache"; }

/// A link is not followed, because what it leads to may be anything, and would be written over.
Descriptor opened(const std::string& folder) {
  make_directory(folder);
  constexpr int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  Descriptor file(::open(file_in(folder).c_str(), flags, 0666));
  const int reason = errno;
  struct stat status {};
  const bool is_other =
      file.is_open() && ::fstat(file.number(), &status) == 0 && !S_ISREG(status.st_mode);
  if (is_other || (!file.is_open() && (reason == ELOOP || reason == ENXIO))) {
    fail(Fault::usage,
         "{}: it is {}, and features are kept only in a file of the run's own; remove it (a cache "
         "of another run may "
         "be copied)",
         file_in(folder), reason == ELOOP ? "a symbolic link" : "no file");
  }
  errno = reason;
  return file;
}

}  // namespace

FeatureCache::FeatureCache(std::string path, Descriptor file, const std::string& maker_hash,
                           uint64_t most_bytes)
    : path_(std::move(path)), file_(std::move(file)), most_bytes_(most_bytes) {
  struct stat status {};
  if (!file_.is_open() || ::fstat(file_.number(), &status) != 0) {
    fail(Fault::disk, "{}: cannot open ({}); check its permissions and the disk", path_,
         std::strerror(errno));
  }
  const std::string header = mark + maker_hash;
  std::string found(header.size(), '\0');
  if (read_at(0, found.data(), found.size()) && found == header) {
    end_ = header.size();
    read_index(static_cast<uint64_t>(status.st_size));
  } else {
    begin(header);
  }
}

FeatureCache::FeatureCache(const std::string& folder, const std::string& maker_hash,
                           uint64_t most_bytes)
    : FeatureCache(file_in(folder), opened(folder), maker_hash, most_bytes) {}

FeatureCache FeatureCache::nameless(const std::string& maker_hash, uint64_t most_bytes) {
  const std::string folder = temporary_folder();
  return {folder, nameless_file(folder), maker_hash, most_bytes};
}

void FeatureCache::begin(const std::string& header) {
  if (::ftruncate(file_.number(), 0) != 0 || !write_at(0, header.data(), header.size())) {
    is_full_ = true;
    return;
  }
  end_ = header.size();
}

/// Finds the grids of an earlier run; what was cut short at the end is written over.
void FeatureCache::read_index(uint64_t bytes) {
  Head head{};
  while (end_ + sizeof(head) <= bytes && read_at(end_, &head, sizeof(head)) && head.is_sound() &&
         head.cell_bytes() <= bytes - end_ - sizeof(head)) {
    places_[head.key] = {end_, false};
    end_ += sizeof(head) + head.cell_bytes();
  }
}

FeatureCache::Key FeatureCache::key_of(GridExtent extent, const std::vector<uint8_t>& pixels) {
  const std::array<int32_t, 2> shape = {extent.height, extent.width};
  return Sha256().update(shape.data(), sizeof(shape)).update(pixels.data(), pixels.size()).finish();
}

bool FeatureCache::find(const Key& key, CachedGrid& grid) {
  const auto found = places_.find(key);
  Head head{};
  if (found == places_.end() || !read_at(found->second.at, &head, sizeof(head)) ||
      head.key != key || !head.is_sound()) {
    return false;
  }
  grid.extent = {head.shape[0], head.shape[1]};
  grid.channels = head.shape[2];
  grid.cells.resize(head.cell_bytes() / sizeof(float));
  if (!read_at(found->second.at + sizeof(head), grid.cells.data(), head.cell_bytes())) {
    return false;
  }
  found->second.is_checked =
      found->second.is_checked || hash_of(head.shape, grid.cells) == head.hash;
  return found->second.is_checked;
}

void FeatureCache::add(const Key& key, const CachedGrid& grid) {
  Head head{key, {}, {grid.extent.height, grid.extent.width, grid.channels}};
  require(head.is_sound() && head.cell_bytes() == grid.cells.size() * sizeof(float),
          "feature cache: saw {} numbers for a grid of {} × {} × {}", grid.cells.size(),
          head.shape[0], head.shape[1], head.shape[2]);
  const uint64_t bytes = sizeof(head) + head.cell_bytes();
  if (is_full_ || bytes > most_bytes_ || end_ > most_bytes_ - bytes) {
    return;
  }
  head.hash = hash_of(head.shape, grid.cells);
  if (!write_at(end_ + sizeof(head), grid.cells.data(), head.cell_bytes()) ||
      !write_at(end_, &head, sizeof(head))) {
    is_full_ = true;
    return;
  }
  places_[key] = {end_, false};
  end_ += bytes;
}

bool FeatureCache::read_at(uint64_t at, void* to, size_t bytes) const {
  for (size_t done = 0; done < bytes;) {
    const ssize_t got = ::pread(file_.number(), static_cast<char*>(to) + done, bytes - done,
                                static_cast<off_t>(at + done));
    if (got == 0 || (got < 0 && errno != EINTR)) {
      return false;
    }
    done += got > 0 ? static_cast<size_t>(got) : 0;
  }
  return true;
}

bool FeatureCache::write_at(uint64_t at, const void* from, size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    const ssize_t put = ::pwrite(file_.number(), static_cast<const char*>(from) + done,
                                 bytes - done, static_cast<off_t>(at + done));
    if (put < 0 && errno != EINTR) {
      return false;
    }
    done += put > 0 ? static_cast<size_t>(put) : 0;
  }
  return true;
}

}  // namespace heed
