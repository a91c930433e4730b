// Freed memory is kept by size class and given out again, so that a steady training step asks the
// system for nothing. It may have a limit, and returns what it keeps to the system on request.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "heed/base/spin_lock.h"
#include "heed/device/raw_memory.h"

namespace heed {

struct AllocatorStatistics {
  int64_t live_bytes = 0;          // in use now
  int64_t peak_bytes = 0;          // the most that was ever in use
  int64_t cached_bytes = 0;        // kept for reuse
  int64_t arena_bytes = 0;         // kept by arenas, which nobody else can have
  int64_t limit_bytes = 0;         // of all three together; 0: no limit
  int64_t requests = 0;            // allocations asked for
  int64_t system_allocations = 0;  // those that went to the system
};

class BlockPool;

/// Memory that is in use or kept. Lists of kept blocks are linked here, in the host's memory, so that
/// freeing one needs no memory itself.
struct MemoryBlock {
  void* data = nullptr;
  size_t bytes = 0;  // at least what was asked for
  // The allocator's own:
  size_t size_class = 0;
  BlockPool* pool = nullptr;
  MemoryBlock* next = nullptr;
};

class CachingAllocator {
 public:
  explicit CachingAllocator(std::unique_ptr<RawMemory> memory);
  ~CachingAllocator();
  CachingAllocator(const CachingAllocator&) = delete;
  CachingAllocator& operator=(const CachingAllocator&) = delete;

  /// From this thread's arena, if it uses one of this allocator's. An Error if this exceeds the limit
  /// even with nothing kept for reuse.
  MemoryBlock* allocate(size_t bytes);
  /// The block goes back to where it came from. Allocates nothing and does not throw.
  void free(MemoryBlock* block) noexcept;
  /// Counts memory that lies elsewhere as if it were in use here. An Error if this exceeds the limit even with
  /// nothing kept for reuse.
  void take(size_t bytes);
  void give_back(size_t bytes) noexcept;
  /// Returns all cached memory to the system; what arenas keep stays with them.
  void trim();
  /// Applies from the next allocation on; 0: no limit.
  void set_limit(int64_t bytes);
  AllocatorStatistics statistics() const;
  void reset_peak();

 private:
  friend class Arena;

  MemoryBlock* ask_system(BlockPool& pool, size_t size, size_t number);
  void make_room(size_t size, const char* cure);
  void free_cached();
  /// Returns a list of blocks to the system.
  void free_list(MemoryBlock* first) noexcept;
  void close(BlockPool* pool) noexcept;

  std::unique_ptr<RawMemory> memory_;
  size_t alignment_;
  mutable SpinLock lock_;  // never held during a call of the system
  std::unique_ptr<BlockPool> pool_;
  AllocatorStatistics statistics_;
};

/// Blocks that are handed out again only among themselves. A step that was recorded is run again at
/// the same addresses, so nobody else may be given its memory while the recording lives; and a block
/// that one stream gave back may still be in use there, so another stream may not have it. The end of
/// an arena returns its memory to the system, each block when the last tensor lets go of it. It ends
/// before its allocator.
class Arena {
 public:
  explicit Arena(CachingAllocator& allocator, Stream stream = 0);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

 private:
  friend class CachingAllocator;
  friend class UseArena;
  CachingAllocator& allocator_;
  BlockPool* pool_;
};

/// As long as it lives, this thread's allocations are the arena's.
class UseArena {
 public:
  explicit UseArena(Arena& arena);
  ~UseArena();
  UseArena(const UseArena&) = delete;
  UseArena& operator=(const UseArena&) = delete;

 private:
  Arena* before_;
};

}  // namespace heed
