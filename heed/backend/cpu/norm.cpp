// Layer norm and RMS norm of rows and their gradient; the formulas stand in device/kernel/. The
// gradients of weight and bias are sums over rows: part by part, a grid of the shape only, and the
// parts in order.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/norm.cpp"
#include "heed/device/kernel/norm.h"

#include <hwy/foreach_target.h>

#include <cmath>
#include <vector>

#include "heed/backend/cpu/chunks.h"
#include "heed/backend/cpu/dense_rows.h"
#include "heed/backend/cpu/kernels.h"
#include "heed/backend/cpu/norm_rows.h"
#include "heed/backend/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {

/// Adds f(j) over the row, f a vector of terms.
template <class F>
HWY_INLINE float row_mean(int64_t n, const F& f) {
  const auto [total] = sums<1>(
      n, [&f](auto at, int64_t j, Floats* sum) HWY_ATTR { sum[0] = hn::Add(sum[0], f(at, j)); });
  return static_cast<float>(total / static_cast<double>(n));
}

HWY_FLATTEN void norm_row(const NormRow& row, int64_t n) {
  const float* x = row.x;
  const float mean = row.mean == nullptr
                         ? 0.0F
                         : row_mean(n, [x](auto at, int64_t j) HWY_ATTR { return at.load(x + j); });
  const Floats m = spread(mean);
  const float square = row_mean(n, [x, m, mean](auto at, int64_t j) HWY_ATTR {
    const Floats away = hn::Sub(at.load(x + j, mean), m);
    return hn::Mul(away, away);
  });
  const float scale = 1 / std::sqrt(square + row.epsilon);
  const Floats r = spread(scale);
  *row.scale = scale;
  if (row.mean != nullptr) {
    *row.mean = mean;
  }
  const auto unit = [m, r](Floats v) HWY_ATTR { return hn::Mul(hn::Sub(v, m), r); };
  if (row.weight != nullptr && row.bias != nullptr) {
    transform(
        row.y, n, [=](Floats v, Floats w, Floats b) HWY_ATTR { return hn::MulAdd(unit(v), w, b); },
        x, row.weight, row.bias);
  } else if (row.weight != nullptr) {
    transform(
        row.y, n, [=](Floats v, Floats w) HWY_ATTR { return hn::Mul(unit(v), w); }, x, row.weight);
  } else if (row.bias != nullptr) {
    transform(
        row.y, n, [=](Floats v, Floats b) HWY_ATTR { return hn::Add(unit(v), b); }, x, row.bias);
  } else {
    transform(row.y, n, unit, x);
  }
}

/// With t = x − μ, a = (1/D) Σ u and b = (1/D) Σ u ⊙ t:  dx = r u − r a − r³ b t.
struct SlopeFactors {
  float fixed;
  float slope;
};

HWY_FLATTEN SlopeFactors slope_factors(const NormSlopeRow& row, int64_t n) {
  const float* x = row.x;
  const float* dy = row.dy;
  const float* w = row.weight;
  const Floats m = spread(row.mean);
  const auto [flat, along] = sums<2>(n, [=](auto at, int64_t j, Floats* sum) HWY_ATTR {
    const Floats u = hn::Mul(at.load(dy + j), at.load(w + j));
    sum[0] = hn::Add(sum[0], u);
    sum[1] = hn::MulAdd(u, hn::Sub(at.load(x + j), m), sum[1]);
  });
  const double share = 1 / static_cast<double>(n);
  const auto r = static_cast<double>(row.scale);
  return {static_cast<float>(row.is_centred ? -r * flat * share : 0),
          static_cast<float>(r * r * r * along * share)};
}

/// dx of a row; dw ← dw + dy ⊙ x̂ and db ← db + dy where they are wanted.
void norm_slope_row(const NormSlopeRow& row, float* dw, float* db, int64_t n) {
  const float* x = row.x;
  const float* dy = row.dy;
  const float* w = row.weight;
  float* dx = row.dx;
  const float mean = row.mean;
  const float r = row.scale;
  const SlopeFactors by = dx == nullptr ? SlopeFactors{} : slope_factors(row, n);
  if (dx == nullptr) {
#pragma omp simd
    for (int64_t j = 0; j < n; ++j) {
      dw[j] += dy[j] * ((x[j] - mean) * r);
      db[j] += dy[j];
    }
  } else if (dw == nullptr) {
#pragma omp simd
    for (int64_t j = 0; j < n; ++j) {
      dx[j] = dy[j] * w[j] * r + (by.fixed - by.slope * (x[j] - mean));
    }
  } else {
#pragma omp simd
    for (int64_t j = 0; j < n; ++j) {
      const float d = dy[j];
      const float away = x[j] - mean;
      dw[j] += d * (away * r);
      db[j] += d;
      dx[j] = d * w[j] * r + (by.fixed - by.slope * away);
    }
  }
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {
namespace {

constexpr const char* who = "norm";

/// A vector [D] as a row, null where there is none.
float* row_vector(const View& view, int64_t n) {
  if (view.data == nullptr) {
    return nullptr;
  }
  require(view.shape == Shape{n} && view.dtype == DType::f32 && view.is_contiguous(),
          "norm: saw a weight or bias {} {}, needs dense f32 [{}]", name_of(view.dtype),
          to_string(view.shape), n);
  return view.as<float>();
}

/// [N, 1], null where there is none.
struct Column {
  Column(const View& view, int64_t rows)
      : data(view.as<float>()), stride(data == nullptr ? 0 : view.strides[0]) {
    require(data == nullptr || view.shape == Shape{rows, 1}, "norm: saw {}, needs {}",
            to_string(view.shape), to_string({rows, 1}));
  }
  float* at(int64_t row) const { return data == nullptr ? nullptr : data + row * stride; }
  float* data;
  int64_t stride;
};

}  // namespace

HWY_EXPORT(norm_row);
HWY_EXPORT(norm_slope_row);

void norm(const RowNorm& rows) {
  const int64_t count = rows.x.shape[0];
  const int64_t n = rows.x.shape[1];
  const DenseRows x(rows.x, count, n, who);
  const DenseRows y(rows.y, count, n, who);
  const Column mean(rows.mean, count);
  const Column scale(rows.scale, count);
  const float* weight = row_vector(rows.weight, n);
  const float* bias = row_vector(rows.bias, n);
  const auto epsilon = static_cast<float>(rows.epsilon);
  each_range(count, units_per_chunk(n), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      HWY_DYNAMIC_DISPATCH(norm_row)
      ({y[i], mean.at(i), scale.at(i), x[i], weight, bias, epsilon}, n);
    }
  });
}

void norm_slope(const RowNormSlope& rows) {
  const int64_t count = rows.x.shape[0];
  const int64_t n = rows.x.shape[1];
  const DenseRows x(rows.x, count, n, who);
  const DenseRows dy(rows.dy, count, n, who);
  const bool wants_dx = rows.dx.data != nullptr;
  const DenseRows dx(wants_dx ? rows.dx : rows.dy, count, n, who);
  const Column mean(rows.mean, count);
  const Column scale(rows.scale, count);
  const float* weight = row_vector(rows.weight, n);
  float* dweight = row_vector(rows.dweight, n);
  float* dbias = row_vector(rows.dbias, n);
  const bool wants_sums = dweight != nullptr || dbias != nullptr;
  if (!wants_dx && !wants_sums) {
    return;
  }
  const int64_t rows_a_part = std::max<int64_t>(32, units_per_chunk(n));
  const int64_t parts = pieces_of(count, rows_a_part);
  // Kept between calls: ones, then the sums of each part, dw and db.
  static thread_local std::vector<float> kept;
  kept.assign(static_cast<size_t>(n * (1 + (wants_sums ? 2 * parts : 0))), 0.0F);
  std::fill_n(kept.begin(), n, 1.0F);
  const float* factors = weight == nullptr ? kept.data() : weight;
  float* partial = kept.data() + n;
  each_range(count, rows_a_part, [&](int64_t begin, int64_t end) {
    float* dw = partial + 2 * n * (begin / rows_a_part);
    for (int64_t i = begin; i < end; ++i) {
      const bool is_centred = mean.data != nullptr;
      const NormSlopeRow row{wants_dx ? dx[i] : nullptr,      dy[i],        x[i],      factors,
                             is_centred ? *mean.at(i) : 0.0F, *scale.at(i), is_centred};
      HWY_DYNAMIC_DISPATCH(norm_slope_row)(row, wants_sums ? dw : nullptr, dw + n, n);
    }
  });
  static thread_local std::vector<double> totals;
  const auto join = [&](float* to, const float* from) {
    if (to == nullptr) {
      return;
    }
    totals.assign(static_cast<size_t>(n), 0.0);
    double* total = totals.data();
    for (int64_t part = 0; part < parts; ++part, from += 2 * n) {
#pragma omp simd
      for (int64_t j = 0; j < n; ++j) {
        total[j] += static_cast<double>(from[j]);
      }
    }
    for (int64_t j = 0; j < n; ++j) {
      to[j] += static_cast<float>(total[j]);
    }
  };
  join(dweight, partial);
  join(dbias, partial + n);
}

}  // namespace heed::cpu
#endif
