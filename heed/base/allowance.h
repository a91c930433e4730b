// What the work of a thread may take besides tensors: until when it goes on, and how many bytes it holds.
//
// A small file may be hours of sound or many million pixels. Whoever answers a request lets its thread work under an
// Allowance. What decodes, resamples and resizes calls check_goes_on() every few thousand samples or every row, and
// counts large buffers by HeldBytes. On a thread without an allowance both do nothing.
#pragma once

#include <cstddef>

namespace heed {

class Allowance {
 public:
  virtual ~Allowance() = default;
  /// False once the work is no longer wanted. Must not throw.
  virtual bool goes_on() const = 0;
  /// An Error if there is no room for so many bytes more.
  virtual void take(std::size_t bytes) = 0;
  virtual void give_back(std::size_t bytes) = 0;
};

/// As long as it lives, this thread works under `allowance`.
class UseAllowance {
 public:
  explicit UseAllowance(Allowance& allowance);
  ~UseAllowance();
  UseAllowance(const UseAllowance&) = delete;
  UseAllowance& operator=(const UseAllowance&) = delete;

 private:
  Allowance* before_;
};

/// For code that libraries call, which must not throw.
bool goes_on();
/// Fault::cancelled if this thread's work is no longer wanted.
void check_goes_on();

/// Bytes of a buffer, counted as long as this lives by the allowance under which it was made.
class HeldBytes {
 public:
  HeldBytes() = default;
  explicit HeldBytes(std::size_t bytes);
  HeldBytes(HeldBytes&& other) noexcept;
  HeldBytes& operator=(HeldBytes&& other) noexcept;
  ~HeldBytes();

  /// Counts up to `bytes`; never fewer than before.
  void grow_to(std::size_t bytes);

 private:
  Allowance* allowance_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace heed
