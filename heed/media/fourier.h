// The discrete Fourier transform of real numbers, X_k = Σ_n x_n e^(−2πikn/N), k = 0 … N/2, by kissfft.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

namespace heed {

/// A transform of one even size. It has a workspace of its own, so threads need one each.
class RealFourier {
 public:
  explicit RealFourier(int64_t size);
  ~RealFourier();
  RealFourier(const RealFourier&) = delete;
  RealFourier& operator=(const RealFourier&) = delete;

  int64_t size() const { return size_; }
  /// |X_k|² of x [size] into `power` [size / 2 + 1].
  void power(std::span<const float> x, std::span<float> power);

 private:
  struct Plan;
  int64_t size_;
  std::unique_ptr<Plan> plan_;
};

}  // namespace heed
