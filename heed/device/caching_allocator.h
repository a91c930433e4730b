// Freed memory is kept by size class and given out again, so that a steady training step asks the
// system for nothing. It may have a limit, and returns what it keeps to the system on request.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "heed/base/spin_lock.h"

namespace heed {

/// The source of memory: the heap, or a GPU.
class RawMemory {
 public:
  virtual ~RawMemory() = default;
  /// At least `bytes`, aligned to 64; throws Error when there is none.
  virtual void* allocate(size_t bytes) = 0;
  virtual void free(void* pointer, size_t bytes) = 0;
  /// Returns freed memory to the system.
  virtual void trim() {}
};

/// Host memory aligned to 64 bytes, for backends that run on the CPU.
std::unique_ptr<RawMemory> host_memory();

struct AllocatorStatistics {
  int64_t live_bytes = 0;          // in use now
  int64_t peak_bytes = 0;          // the most that was ever in use
  int64_t cached_bytes = 0;        // kept for reuse
  int64_t limit_bytes = 0;         // of memory in use and kept together; 0: no limit
  int64_t requests = 0;            // allocations asked for
  int64_t system_allocations = 0;  // those that went to the system
};

class CachingAllocator {
 public:
  explicit CachingAllocator(std::unique_ptr<RawMemory> memory) : memory_(std::move(memory)) {}
  ~CachingAllocator();
  CachingAllocator(const CachingAllocator&) = delete;
  CachingAllocator& operator=(const CachingAllocator&) = delete;

  /// An Error if this exceeds the limit even with nothing kept for reuse.
  void* allocate(size_t bytes);
  void free(void* pointer, size_t bytes);
  /// Returns all cached memory to the system.
  void trim();
  /// Applies from the next allocation on; 0: no limit.
  void set_limit(int64_t bytes);
  AllocatorStatistics statistics() const;
  void reset_peak();

 private:
  static constexpr size_t classes = 4 * 64;  // four for each power of two

  void* ask_system(size_t size);
  void make_room(size_t size);
  void free_cached();

  std::unique_ptr<RawMemory> memory_;
  mutable SpinLock lock_;  // never held during a call of the system
  std::array<std::vector<void*>, classes> cached_;
  AllocatorStatistics statistics_;
};

}  // namespace heed
