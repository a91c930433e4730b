// Memory that is kept between calls, so that a steady step allocates nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace heed::cpu {

/// Its contents are lost when it grows. It begins at a cache line, because vectors as long as a
/// line take twice as long where they straddle two.
class Room {
 public:
  /// Memory for n elements.
  template <class T>
  T* of(int64_t n) {
    const size_t lines = (static_cast<size_t>(n) * sizeof(T) + sizeof(Line) - 1) / sizeof(Line);
    if (lines_.size() < lines) {
      lines_.clear();
      lines_.resize(lines);
    }
    return reinterpret_cast<T*>(lines_.data());
  }

 private:
  struct alignas(64) Line {
    std::array<std::byte, 64> bytes;
  };
  std::vector<Line> lines_;
};

}  // namespace heed::cpu
