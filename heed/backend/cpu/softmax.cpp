// Softmax over rows (the last axis) and its gradient. A row of −∞ gives zeros. Slots at −∞ behind a row, with
// which a batch is padded, do not change its bits.
//
//   y_j = e^(x_j − m) / Σ_k e^(x_k − m), m = max_k x_k        dx_j = y_j (dy_j − Σ_k dy_k y_k)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/softmax.cpp"
#include "heed/device/kernel/softmax.h"

#include <hwy/foreach_target.h>

#include "heed/backend/cpu/kernels.h"
#include "heed/backend/cpu/rows.h"
#include "heed/backend/cpu/simd-inl.h"
#include "heed/backend/cpu/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {

/// The number of rows that go through each step together, so that their latencies overlap.
inline constexpr int64_t group = 8;

/// For rows that are one behind the other.
template <class Length>
HWY_FLATTEN void softmax_of(float* y, const float* x, int64_t rows, Length n) {
  constexpr float lowest = -std::numeric_limits<float>::infinity();
  float most[group];
  float scale[group];
  for (int64_t begin = 0; begin < rows; begin += group) {
    const int64_t count = HWY_MIN(group, rows - begin);
    const float* from = x + begin * n;
    float* to = y + begin * n;
    for (int64_t i = 0; i < count; ++i) {
      most[i] = row_max(from + i * n, n);
    }
    for (int64_t i = 0; i < count; ++i) {
      const Floats m = spread(most[i] == lowest ? 0.0F : most[i]);
      const double total = transform_and_sum<true>(
          to + i * n, from + i * n, n, lowest,
          [m](Floats v) HWY_ATTR { return exp_to_88(Wide(), hn::Sub(v, m)); });
      scale[i] = total == 0 ? 0.0F : 1 / static_cast<float>(total);
    }
    for (int64_t i = 0; i < count; ++i) {
      const Floats by = spread(scale[i]);
      transform(
          to + i * n, n, [by](Floats v) HWY_ATTR { return hn::Mul(v, by); }, to + i * n);
    }
  }
}

void softmax_rows(float* y, const float* x, int64_t rows, int64_t n) {
  ShortLength::fits(n) ? softmax_of(y, x, rows, ShortLength{n}) : softmax_of(y, x, rows, n);
}

template <class Length>
HWY_FLATTEN void softmax_gradient_of(float* dx, const float* dy, const float* y, int64_t rows,
                                     Length n) {
  float mean[group];
  for (int64_t begin = 0; begin < rows; begin += group) {
    const int64_t count = HWY_MIN(group, rows - begin);
    for (int64_t i = 0; i < count; ++i) {
      const float* d = dy + (begin + i) * n;
      const float* value = y + (begin + i) * n;
      const auto [dot] = sums<1>(n, [=](auto at, int64_t j, Floats* sum) HWY_ATTR {
        sum[0] = hn::MulAdd(at.load(d + j), at.load(value + j), sum[0]);
      });
      mean[i] = static_cast<float>(dot);
    }
    for (int64_t i = 0; i < count; ++i) {
      const int64_t row = (begin + i) * n;
      const Floats m = spread(mean[i]);
      transform(
          dx + row, n, [m](Floats d, Floats v) HWY_ATTR { return hn::Mul(v, hn::Sub(d, m)); },
          dy + row, y + row);
    }
  }
}

void softmax_gradient_rows(float* dx, const float* dy, const float* y, int64_t rows, int64_t n) {
  ShortLength::fits(n) ? softmax_gradient_of(dx, dy, y, rows, ShortLength{n})
                       : softmax_gradient_of(dx, dy, y, rows, n);
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {

namespace {

/// Calls body(first row, count) in chunks if all views are dense; otherwise returns false.
template <class Body>
bool on_dense_rows(std::initializer_list<View> views, const Body& body) {
  for (const View& view : views) {
    if (!view.is_contiguous()) {
      return false;
    }
  }
  const View& first = *views.begin();
  const int64_t n = first.shape[first.rank() - 1];
  each_range(n == 0 ? 0 : first.numel() / n, units_per_chunk(n),
             [&body, n](int64_t begin, int64_t end) { body(begin * n, end - begin, n); });
  return true;
}

}  // namespace

HWY_EXPORT(softmax_rows);
HWY_EXPORT(softmax_gradient_rows);

void softmax(const SoftmaxRows& rows_of) {
  const View& y = rows_of.y;
  const View& x = rows_of.x;
  const bool done = on_dense_rows({y, x}, [&](int64_t from, int64_t rows, int64_t n) {
    HWY_DYNAMIC_DISPATCH(softmax_rows)(y.as<float>() + from, x.as<float>() + from, rows, n);
  });
  if (!done) {
    each_row<2>({y, x}, [](const RowPointers<2>& at, int64_t n) {
      HWY_DYNAMIC_DISPATCH(softmax_rows)(at[0], at[1], 1, n);
    });
  }
}

void softmax_gradient(const SoftmaxGradient& rows_of) {
  const View& dx = rows_of.dx;
  const View& dy = rows_of.dy;
  const View& y = rows_of.y;
  const bool done = on_dense_rows({dx, dy, y}, [&](int64_t from, int64_t rows, int64_t n) {
    HWY_DYNAMIC_DISPATCH(softmax_gradient_rows)
    (dx.as<float>() + from, dy.as<float>() + from, y.as<float>() + from, rows, n);
  });
  if (!done) {
    each_row<3>({dx, dy, y}, [](const RowPointers<3>& at, int64_t n) {
      HWY_DYNAMIC_DISPATCH(softmax_gradient_rows)(at[0], at[1], at[2], 1, n);
    });
  }
}

}  // namespace heed::cpu
#endif
