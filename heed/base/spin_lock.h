// A lock for a few instructions: half the price of a mutex where nobody else wants it. Whoever
// waits long hands its core on.
#pragma once

#include <atomic>
#include <thread>

namespace heed {

/// For std::lock_guard.
class SpinLock {
 public:
  void lock() {
    for (int tries = 0; is_held_.exchange(true, std::memory_order_acquire); ++tries) {
      if (tries >= patience) {
        std::this_thread::yield();
      }
    }
  }
  void unlock() { is_held_.store(false, std::memory_order_release); }

 private:
  static constexpr int patience = 64;
  std::atomic<bool> is_held_ = false;
};

}  // namespace heed
