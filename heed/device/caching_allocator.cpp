#include "heed/device/caching_allocator.h"

#include <malloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <mutex>
#include <new>

#include "heed/base/error.h"
#include "heed/device/out_of_memory.h"

namespace heed {
namespace {

constexpr size_t alignment = 64;

/// A large block begins where a huge page can, and asks for such pages: a model's weights then take
/// one fault in 2 MiB and not one in 4 KiB.
constexpr size_t huge_page = size_t{1} << 21;
std::align_val_t alignment_of(size_t bytes) {
  return std::align_val_t{bytes < 2 * huge_page ? alignment : huge_page};
}

class HostMemory : public RawMemory {
 public:
  void* allocate(size_t bytes) override {
    void* pointer = ::operator new(bytes, alignment_of(bytes), std::nothrow);
    if (pointer == nullptr) {
      throw OutOfMemory(
          fmt::format("memory: there are no {} bytes left; use smaller batches", bytes));
    }
    if (bytes >= 2 * huge_page) {
      ::madvise(pointer, bytes, MADV_HUGEPAGE);  // a wish: what is not granted changes nothing
    }
    return pointer;
  }
  void free(void* pointer, size_t bytes) override {
    ::operator delete(pointer, alignment_of(bytes));
  }
  void trim() override {
#if defined(__GLIBC__)
    ::malloc_trim(0);  // without it the heap keeps free memory below a block in use
#endif
  }
};

/// A class of blocks of one size, and its number among all sizes: 0 is 64 bytes, 1 is 128, and so
/// on.
struct SizeClass {
  size_t size;
  size_t number;
};

/// Four classes for each power of two: at most a quarter is wasted, and similar sizes share a
/// class.
SizeClass class_of(size_t bytes) {
  constexpr size_t even = 4 * alignment;  // up to here every multiple of the alignment is a class
  constexpr size_t most = size_t{1}
                          << 52;  // no tensor has more, and rounding it up cannot overflow
  if (bytes > most) {
    throw OutOfMemory(fmt::format(
        "memory: {} bytes are asked for, more than the {} possible; choose smaller sizes", bytes,
        most));
  }
  if (bytes <= even) {
    const size_t number = (std::max<size_t>(bytes, 1) - 1) / alignment;
    return {(number + 1) * alignment, number};
  }
  const size_t step = std::bit_floor(bytes) / 4;
  const size_t size = (bytes + step - 1) & ~(step - 1);
  const auto octave = static_cast<size_t>(std::bit_width(size) - std::bit_width(even));
  return {size, 3 + 4 * octave + ((size - std::bit_floor(size)) >> (std::bit_width(size) - 3))};
}

/// The size of the class with this number.
size_t size_of_number(size_t number) {
  if (number < 4) {
    return (number + 1) * alignment;
  }
  const size_t octave = (4 * alignment) << ((number - 3) / 4);
  return octave + octave / 4 * ((number - 3) % 4);
}

}  // namespace

std::unique_ptr<RawMemory> host_memory() { return std::make_unique<HostMemory>(); }

CachingAllocator::~CachingAllocator() { free_cached(); }

void* CachingAllocator::allocate(size_t bytes) {
  const auto [size, number] = class_of(bytes);
  std::vector<void*>& blocks = cached_[number];
  void* pointer = nullptr;
  {
    const std::lock_guard guard(lock_);
    ++statistics_.requests;
    statistics_.live_bytes += static_cast<int64_t>(size);
    if (!blocks.empty()) {
      pointer = blocks.back();
      blocks.pop_back();
      statistics_.cached_bytes -= static_cast<int64_t>(size);
      statistics_.peak_bytes = std::max(statistics_.peak_bytes, statistics_.live_bytes);
    } else {
      ++statistics_.system_allocations;
    }
  }
  return pointer != nullptr ? pointer : ask_system(size);
}

void* CachingAllocator::ask_system(size_t size) {
  void* pointer = nullptr;
  try {
    make_room(size);
    pointer = memory_->allocate(size);
  } catch (...) {
    const std::lock_guard guard(lock_);
    statistics_.live_bytes -= static_cast<int64_t>(size);
    throw;
  }
  const std::lock_guard guard(lock_);
  statistics_.peak_bytes = std::max(statistics_.peak_bytes, statistics_.live_bytes);
  return pointer;
}

/// Memory that is kept for reuse is returned first.
void CachingAllocator::make_room(size_t size) {
  AllocatorStatistics now = statistics();
  if (now.limit_bytes == 0 || now.live_bytes + now.cached_bytes <= now.limit_bytes) {
    return;
  }
  free_cached();
  now = statistics();
  if (now.live_bytes > now.limit_bytes) {
    const auto megabytes = [](int64_t bytes) { return static_cast<double>(bytes) / 1e6; };
    const auto asked = static_cast<int64_t>(size);
    throw OutOfMemory(fmt::format(
        "memory: {:.4g} MB are asked for and {:.4g} MB are in use, which is beyond the limit of "
        "{:.4g} MB; use smaller batches, or raise the limit",
        megabytes(asked), megabytes(now.live_bytes - asked), megabytes(now.limit_bytes)));
  }
}

void CachingAllocator::free(void* pointer, size_t bytes) {
  const auto [size, number] = class_of(bytes);
  std::vector<void*>& blocks = cached_[number];
  const std::lock_guard guard(lock_);
  blocks.push_back(pointer);
  statistics_.cached_bytes += static_cast<int64_t>(size);
  statistics_.live_bytes -= static_cast<int64_t>(size);
}

void CachingAllocator::trim() {
  free_cached();
  memory_->trim();
}

void CachingAllocator::free_cached() {
  std::vector<std::pair<void*, size_t>> blocks;
  {
    const std::lock_guard guard(lock_);
    for (size_t number = 0; number < classes; ++number) {
      for (void* pointer : cached_[number]) {
        blocks.emplace_back(pointer, size_of_number(number));
      }
      cached_[number].clear();
    }
    statistics_.cached_bytes = 0;
  }
  for (const auto& [pointer, size] : blocks) {
    memory_->free(pointer, size);
  }
}

AllocatorStatistics CachingAllocator::statistics() const {
  const std::lock_guard guard(lock_);
  return statistics_;
}

void CachingAllocator::set_limit(int64_t bytes) {
  const std::lock_guard guard(lock_);
  statistics_.limit_bytes = bytes;
}

void CachingAllocator::reset_peak() {
  const std::lock_guard guard(lock_);
  statistics_.peak_bytes = statistics_.live_bytes;
}

}  // namespace heed
