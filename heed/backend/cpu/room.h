// Memory that lives on from call to call, so that a steady step allocates nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace heed::cpu {

/// It grows, and what it held is lost when it does. It begins with a line of the cache: vectors
/// that straddle two lines take twice as long where they are as long as a line.
class Room {
 public:
  /// For n of them.
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
