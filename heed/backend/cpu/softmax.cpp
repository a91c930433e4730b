// y_j = e^(x_j − m) / Σ_k e^(x_k − m), m = max_k x_k, and its gradient dx_j = y_j (dy_j − Σ_k dy_k
// y_k); rows along the last axis. A row of −∞ gives zeros.
#include <limits>

#include "heed/backend/cpu/chunks.h"
#include "heed/backend/cpu/kernels.h"
#include "heed/backend/cpu/row_fold.h"
#include "heed/backend/cpu/rows.h"
#include "heed/backend/cpu/vector_math.h"

namespace heed::cpu {
namespace {

void softmax_row(float* y, const float* x, int64_t n) {
  constexpr float lowest = -std::numeric_limits<float>::infinity();
  const float m = row_max(x, n);
  if (m == lowest) {
    std::fill_n(y, n, 0.0F);
    return;
  }
#pragma omp simd
  for (int64_t j = 0; j < n; ++j) {
    y[j] = VectorMath::exp(x[j] - m);
  }
  const float scale = 1.0F / static_cast<float>(row_sum(y, n));
#pragma omp simd
  for (int64_t j = 0; j < n; ++j) {
    y[j] *= scale;
  }
}

void softmax_slope_row(float* dx, const float* dy, const float* y, int64_t n) {
  const float mean = row_dot(dy, y, n);
#pragma omp simd
  for (int64_t j = 0; j < n; ++j) {
    dx[j] = y[j] * (dy[j] - mean);
  }
}

}  // namespace

void softmax(const View& y, const View& x) {
  each_row<2>({y, x},
              [](const std::array<float*, 2>& at, int64_t n) { softmax_row(at[0], at[1], n); });
}

void softmax_slope(const View& dx, const View& dy, const View& y) {
  each_row<3>({dx, dy, y}, [](const std::array<float*, 3>& at, int64_t n) {
    softmax_slope_row(at[0], at[1], at[2], n);
  });
}

}  // namespace heed::cpu
