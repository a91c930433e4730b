// Memory that a search will need and does not hold yet: counted as if it were in use, so that nobody
// else gets it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "heed/device/caching_allocator.h"

namespace heed {

class Reserve {
 public:
  explicit Reserve(CachingAllocator& memory) : memory_(memory) {}
  ~Reserve() { set(0); }
  Reserve(const Reserve&) = delete;
  Reserve& operator=(const Reserve&) = delete;

  /// OutOfMemory if there is no room for so much; then it is as it was.
  void set(int64_t bytes) {
    const int64_t more = std::max<int64_t>(bytes, 0) - bytes_;
    if (more > 0) {
      memory_.take(static_cast<size_t>(more));
    } else {
      memory_.give_back(static_cast<size_t>(-more));
    }
    bytes_ += more;
  }
  int64_t bytes() const { return bytes_; }

 private:
  CachingAllocator& memory_;
  int64_t bytes_ = 0;
};

}  // namespace heed
