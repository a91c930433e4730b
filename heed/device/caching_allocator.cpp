#include "heed/device/caching_allocator.h"

#include <algorithm>
#include <bit>
#include <new>

#include "heed/base/error.h"

namespace heed {
namespace {

constexpr size_t alignment = 64;

class HostMemory : public RawMemory {
 public:
  void* allocate(size_t bytes) override {
    void* pointer = ::operator new (bytes, std::align_val_t{alignment}, std::nothrow);
    require(pointer != nullptr, "allocate: saw no {} bytes of memory left; use smaller batches",
            bytes);
    return pointer;
  }
  void free(void* pointer, size_t /*bytes*/) override {
    ::operator delete (pointer, std::align_val_t{alignment});
  }
};

/// Four classes an octave: at most a quarter is wasted, and sizes that nearly agree share a class.
size_t size_class(size_t bytes) {
  const size_t rounded = std::max(bytes, alignment);
  const size_t step = std::max(std::bit_floor(rounded) / 4, alignment);
  return (rounded + step - 1) / step * step;
}

}  // namespace

std::unique_ptr<RawMemory> host_memory() { return std::make_unique<HostMemory>(); }

CachingAllocator::~CachingAllocator() { trim(); }

void* CachingAllocator::allocate(size_t bytes) {
  const size_t size = size_class(bytes);
  const std::lock_guard lock(mutex_);
  ++statistics_.requests;
  void* pointer = nullptr;
  if (auto& free_list = cached_[size]; !free_list.empty()) {
    pointer = free_list.back();
    free_list.pop_back();
    statistics_.cached_bytes -= static_cast<int64_t>(size);
  } else {
    pointer = memory_->allocate(size);
    ++statistics_.system_allocations;
  }
  statistics_.live_bytes += static_cast<int64_t>(size);
  statistics_.peak_bytes = std::max(statistics_.peak_bytes, statistics_.live_bytes);
  return pointer;
}

void CachingAllocator::free(void* pointer, size_t bytes) {
  const size_t size = size_class(bytes);
  const std::lock_guard lock(mutex_);
  cached_[size].push_back(pointer);
  statistics_.cached_bytes += static_cast<int64_t>(size);
  statistics_.live_bytes -= static_cast<int64_t>(size);
}

void CachingAllocator::trim() {
  const std::lock_guard lock(mutex_);
  for (auto& [size, free_list] : cached_) {
    for (void* pointer : free_list) {
      memory_->free(pointer, size);
    }
    free_list.clear();
  }
  statistics_.cached_bytes = 0;
}

AllocatorStatistics CachingAllocator::statistics() const {
  const std::lock_guard lock(mutex_);
  return statistics_;
}

void CachingAllocator::reset_peak() {
  const std::lock_guard lock(mutex_);
  statistics_.peak_bytes = statistics_.live_bytes;
}

}  // namespace heed
