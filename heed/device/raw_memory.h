// Where an allocator gets its memory from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace heed {

/// One of a backend's queues of calls. 0 is the one that computes; a CPU has no other.
using Stream = uint32_t;

/// The source of memory: the heap, or a GPU.
class RawMemory {
 public:
  virtual ~RawMemory() = default;
  /// Every block begins at a multiple of this power of two: 64 is a line of the cache, a GPU wants 256.
  virtual size_t alignment() const { return 64; }
  /// At least `bytes`, for calls of `stream`; throws OutOfMemory when there are none.
  virtual void* allocate(size_t bytes, Stream stream) = 0;
  /// Must not throw.
  virtual void free(void* pointer, size_t bytes, Stream stream) = 0;
  /// Returns freed memory to the system.
  virtual void trim() {}
};

/// Host memory aligned to 64 bytes, for backends that run on the CPU.
std::unique_ptr<RawMemory> host_memory();

}  // namespace heed
