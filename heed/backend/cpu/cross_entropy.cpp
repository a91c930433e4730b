// Losses of rows of logits and their gradient, without a copy of the logits; the formulas stand in
// device/kernel/.
#include "heed/device/kernel/cross_entropy.h"

#include <cmath>

#include "heed/backend/cpu/chunks.h"
#include "heed/backend/cpu/dense_rows.h"
#include "heed/backend/cpu/kernels.h"
#include "heed/backend/cpu/row_fold.h"
#include "heed/backend/cpu/vector_math.h"

namespace heed::cpu {
namespace {

/// Σ_j e^(x_j − m) and Σ_j (x_j − m), by blocks in the first-level cache.
struct Sums {
  double exponentials = 0;
  double shifted = 0;
};

Sums sums_of(const float* x, int64_t n, float m) {
  constexpr int64_t block = 256;
  float values[block];
  float exponentials[block];
  Sums sums;
  for (int64_t begin = 0; begin < n; begin += block) {
    const int64_t width = std::min(block, n - begin);
#pragma omp simd
    for (int64_t j = 0; j < width; ++j) {
      values[j] = x[begin + j] - m;
      exponentials[j] = VectorMath::exp(values[j]);
    }
    sums.exponentials += row_sum(exponentials, width);
    sums.shifted += row_sum(values, width);
  }
  return sums;
}

class Targets {
 public:
  Targets(const View& view, int64_t rows, const char* who)
      : data_(view.as<int32_t>()), stride_(view.strides[0]) {
    require(view.shape == Shape{rows, 1} && view.dtype == DType::i32,
            "{}: saw targets {} {}, needs i32 {}", who, name_of(view.dtype), to_string(view.shape),
            to_string({rows, 1}));
  }
  /// −1, or one of n classes.
  int64_t at(int64_t row, int64_t n, const char* who) const {
    const int64_t target = data_[row * stride_];
    if (target < -1 || target >= n) {
      fail("{}: saw target {}, needs −1 or one of {} classes", who, target, n);
    }
    return target;
  }

 private:
  const int32_t* data_;
  int64_t stride_;
};

}  // namespace

void cross_entropy(const CrossEntropy& rows) {
  constexpr const char* who = "cross_entropy";
  const int64_t count = rows.logits.shape[0];
  const int64_t n = rows.logits.shape[1];
  const DenseRows logits(rows.logits, count, n, who);
  const DenseRows losses(rows.losses, count, 1, who);
  const DenseRows most(rows.most, count, 1, who);
  const DenseRows total(rows.total, count, 1, who);
  const Targets targets(rows.targets, count, who);
  each_range(count, units_per_chunk(4 * n), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const float* x = logits[i];
      const int64_t target = targets.at(i, n, who);
      const float m = row_max(x, n);
      const Sums sums = sums_of(x, n, m);
      *most[i] = m;
      *total[i] = static_cast<float>(sums.exponentials);
      const double at_target = target < 0 ? 0 : static_cast<double>(x[target] - m);
      // Nothing of ε = 0 times an infinite sum.
      const double spread =
          rows.smoothing == 0 ? 0 : rows.smoothing / static_cast<double>(n) * sums.shifted;
      *losses[i] = static_cast<float>(
          target < 0 ? 0 : std::log(sums.exponentials) - (1 - rows.smoothing) * at_target - spread);
    }
  });
}

void cross_entropy_slope(const CrossEntropySlope& rows) {
  constexpr const char* who = "cross_entropy_slope";
  const int64_t count = rows.logits.shape[0];
  const int64_t n = rows.logits.shape[1];
  const DenseRows dlogits(rows.dlogits, count, n, who);
  const DenseRows dlosses(rows.dlosses, count, 1, who);
  const DenseRows logits(rows.logits, count, n, who);
  const DenseRows most(rows.most, count, 1, who);
  const DenseRows total(rows.total, count, 1, who);
  const Targets targets(rows.targets, count, who);
  each_range(count, units_per_chunk(4 * n), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t target = targets.at(i, n, who);
      float* dx = dlogits[i];
      if (target < 0) {
        std::fill_n(dx, n, 0.0F);
        continue;
      }
      const float* x = logits[i];
      const float m = *most[i];
      const float weight = *dlosses[i];
      const float share = weight / *total[i];
      const auto even = static_cast<float>(rows.smoothing / static_cast<double>(n)) * weight;
#pragma omp simd
      for (int64_t j = 0; j < n; ++j) {
        dx[j] = share * VectorMath::exp(x[j] - m) - even;
      }
      dx[target] -= static_cast<float>(1 - rows.smoothing) * weight;
    }
  });
}

}  // namespace heed::cpu
