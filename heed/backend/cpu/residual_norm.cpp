// A branch with its dropout is added to rows, and the sum is normalised, a few rows at a time: they are
// read from memory once. The numbers are those of dropout, addition and norm one after the other.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/residual_norm.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>
#include <cstring>

#include "heed/backend/cpu/chunks.h"
#include "heed/backend/cpu/dropout_some.h"
#include "heed/backend/cpu/kernels.h"
#include "heed/backend/cpu/norm_rows.h"
#include "heed/backend/cpu/simd-inl.h"
#include "heed/device/kernel/norm.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {

HWY_FLATTEN void add_floats(float* to, const float* a, const float* b, int64_t n) {
  transform(
      to, n, [](Floats x, Floats y) HWY_ATTR { return hn::Add(x, y); }, a, b);
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {
namespace {

/// A multiple of 4, as draws are counted in fours.
constexpr int64_t rows_together = 4;

const float* dense(const View& view, const Shape& shape) {
  require(view.shape == shape && view.dtype == DType::f32 && view.is_contiguous(),
          "residual_norm: saw {} {}, needs dense f32 {}", name_of(view.dtype), view.shape, shape);
  return view.as<float>();
}

}  // namespace

HWY_EXPORT(add_floats);

void residual_norm(const ResidualNorm& call) {
  const View& s = call.norm.x;
  const NormRows rows = rows_of(call.norm);
  const int64_t n = rows.n;
  const float* x = dense(call.x, s.shape);
  const float* branch = dense(call.branch, s.shape);
  dense(s, s.shape);
  auto* sum = s.as<float>();
  const DropoutStep drop{s, call.branch, call.rate, call.key};
  const int64_t chunk = pieces_of(units_per_chunk(n), rows_together) * rows_together;
  each_range(s.shape[0], chunk, [&](int64_t begin, int64_t end) {
    for (int64_t first = begin; first < end; first += rows_together) {
      const int64_t last = std::min(first + rows_together, end);
      const int64_t at = first * n;
      const float* added = branch;
      if (call.rate > 0) {
        dropout_some(drop, at, last * n);
        added = sum;
      }
      HWY_DYNAMIC_DISPATCH(add_floats)(sum + at, x + at, added + at, last * n - at);
      norm_some(rows, first, last);
    }
  });
}

void residual_norm_gradient(const ResidualNormGradient& call) {
  const View& ds = call.norm.dx;
  const int64_t n = ds.shape[1];
  dense(ds, ds.shape);
  const float* dsum = call.dsum.data != nullptr ? dense(call.dsum, ds.shape) : nullptr;
  if (call.dbranch.data != nullptr) {
    dense(call.dbranch, ds.shape);
  }
  const DropoutStep drop{call.dbranch, ds, call.rate, call.key};
  const std::function<void(int64_t, int64_t)> after = [&](int64_t first, int64_t last) {
    float* to = ds.as<float>();
    const int64_t at = first * n;
    const int64_t end = last * n;
    if (dsum != nullptr) {
      HWY_DYNAMIC_DISPATCH(add_floats)(to + at, to + at, dsum + at, end - at);
    }
    if (call.dbranch.data != nullptr && call.rate > 0) {
      dropout_some(drop, at, end);
    } else if (call.dbranch.data != nullptr) {
      std::copy(to + at, to + end, call.dbranch.as<float>() + at);
    }
  };
  norm_gradient_of(call.norm, &after);
}

}  // namespace heed::cpu
#endif
