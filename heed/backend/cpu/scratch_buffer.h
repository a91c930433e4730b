// Memory that is kept between calls, so that a steady step allocates nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace heed::cpu {

/// It grows, and what it held is lost when it does. It begins with a line of the cache: vectors
/// that straddle two lines take twice as long where they are as long as a line. It belongs to the
/// thread that uses it.
class ScratchBuffer {
 public:
  ScratchBuffer() = default;
  ~ScratchBuffer();
  ScratchBuffer(const ScratchBuffer&) = delete;
  ScratchBuffer& operator=(const ScratchBuffer&) = delete;

  /// Memory for n elements.
  template <class T>
  T* of(int64_t n) {
    const size_t lines = (static_cast<size_t>(n) * sizeof(T) + sizeof(Line) - 1) / sizeof(Line);
    if (lines_.size() < lines) {
      grow(lines);
    }
    return reinterpret_cast<T*>(lines_.data());
  }

  /// Frees the memory of all buffers of this thread; they grow again when they are used.
  static void release_all();
  /// Bytes in all buffers of this thread.
  static size_t bytes_of_thread();

 private:
  struct alignas(64) Line {
    std::array<std::byte, 64> bytes;
  };

  void grow(size_t lines);

  std::vector<Line> lines_;
  ScratchBuffer* next_ = nullptr;  // among the buffers of this thread that hold memory
};

}  // namespace heed::cpu
