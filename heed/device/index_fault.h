// What becomes of a wrong index. A kernel does not throw: on a GPU nobody could catch it, and the host
// has long gone on. It leaves the row out and writes one word, which the next download reports.
#pragma once

#include <atomic>
#include <cstdint>

namespace heed {

/// Who follows indices.
enum class Indexed : uint8_t {
  gather = 1,
  scatter_add,
  write_slots,
  reorder_rows,
  cross_entropy,
  cross_entropy_gradient,
  choose_words,
};

/// The word: who in the upper half, the index in the lower. It is never 0, which means no fault.
constexpr uint64_t index_fault(Indexed who, int64_t index) {
  return static_cast<uint64_t>(who) << 32 | static_cast<uint32_t>(index);
}

/// The Error that a word stands for.
[[noreturn]] void fail_of_index(uint64_t word);

/// The word in the host's memory, for kernels that run on the CPU, on any thread.
class IndexFaults {
 public:
  /// The first since the last `take` is kept.
  void add(Indexed who, int64_t index) {
    uint64_t none = 0;
    word_.compare_exchange_strong(none, index_fault(who, index), std::memory_order_relaxed);
  }
  /// The word, which then is 0 again.
  uint64_t take() {
    return word_.load(std::memory_order_relaxed) == 0
               ? 0
               : word_.exchange(0, std::memory_order_relaxed);
  }

 private:
  std::atomic<uint64_t> word_ = 0;
};

/// The index, or `otherwise` and a fault if it is none of first … count − 1.
inline int64_t checked_index(int64_t index, int64_t first, int64_t count, Indexed who,
                             IndexFaults& faults, int64_t otherwise) {
  if (index >= first && index < count) {
    return index;
  }
  faults.add(who, index);
  return otherwise;
}

}  // namespace heed
