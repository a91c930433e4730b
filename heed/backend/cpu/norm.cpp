// Layer norm and RMS norm of rows and their gradient; device/kernel/norm.h has the formulas. The
// gradients of weight and bias are sums over rows. The rows are cut into parts by shape only, and
// the parts are added in order.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/norm.cpp"
#include "heed/device/kernel/norm.h"

#include <hwy/foreach_target.h>

#include <cmath>

#include "heed/backend/cpu/chunks.h"
#include "heed/backend/cpu/kernels.h"
#include "heed/backend/cpu/norm_rows.h"
#include "heed/backend/cpu/scratch_buffer.h"
#include "heed/backend/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {

/// The number of rows that go through each step together, so that their latencies overlap.
inline constexpr int64_t together = 4;
inline constexpr int64_t line = 16;  // floats of a line of the cache

/// The sum of f(j) over the row, divided by n; f gives a vector of terms.
template <class F>
HWY_INLINE float row_mean(int64_t n, const F& f) {
  const auto [total] = sums<1>(
      n, [&f](auto at, int64_t j, Floats* sum) HWY_ATTR { sum[0] = hn::Add(sum[0], f(at, j)); });
  return static_cast<float>(total / static_cast<double>(n));
}

HWY_FLATTEN void norm_rows(const NormRows& rows, int64_t begin, int64_t end) {
  const int64_t n = rows.n;
  const bool is_centred = rows.mean.data != nullptr;
  float mean[together] = {};
  float scale[together];
  for (int64_t first = begin; first < end; first += together) {
    const int64_t count = HWY_MIN(together, end - first);
    for (int64_t k = 0; is_centred && k < count; ++k) {
      const float* x = rows.x[first + k];
      mean[k] = row_mean(n, [x](auto at, int64_t j) HWY_ATTR { return at.load(x + j); });
      rows.mean[first + k] = mean[k];
    }
    for (int64_t k = 0; k < count; ++k) {
      const float* x = rows.x[first + k];
      const float m = mean[k];
      const float square = row_mean(n, [x, m](auto at, int64_t j) HWY_ATTR {
        const Floats away = hn::Sub(at.load(x + j, m), spread(m));
        return hn::Mul(away, away);
      });
      scale[k] = 1 / std::sqrt(square + rows.epsilon);
      rows.scale[first + k] = scale[k];
    }
    for (int64_t k = 0; k < count; ++k) {
      const Floats m = spread(mean[k]);
      const Floats r = spread(scale[k]);
      transform(
          rows.y[first + k], n,
          [=](Floats x, Floats w, Floats b)
              HWY_ATTR { return hn::MulAdd(hn::Mul(hn::Sub(x, m), r), w, b); },
          rows.x[first + k], rows.weight, rows.bias);
    }
  }
}

/// A row and its factors: with t = x − μ, a = (1/D) Σ u and b = (1/D) Σ u ⊙ t,
///   dx = r u − r a − r³ b t
struct GradientRow {
  float* dx;
  const float* dy;
  const float* x;
  float mean;
  float scale;
  float fixed;
  float gradient;
};

HWY_INLINE GradientRow gradient_row(const NormGradientRows& rows, int64_t i) {
  const bool is_centred = rows.mean.data != nullptr;
  GradientRow row{rows.dx[i],    rows.dy[i], rows.x[i], is_centred ? rows.mean[i] : 0.0F,
                  rows.scale[i], 0,          0};
  if (!rows.wants_dx) {
    return row;
  }
  // dx will be written one line of each row in turn, which the core does not prefetch by itself.
  for (int64_t j = 0; j < rows.n; j += line) {
    __builtin_prefetch(row.dx + j, 1);
  }
  const float* w = rows.weight;
  const auto [flat, along] = sums<2>(rows.n, [&row, w](auto at, int64_t j, Floats* sum) HWY_ATTR {
    const Floats u = hn::Mul(at.load(row.dy + j), at.load(w + j));
    sum[0] = hn::Add(sum[0], u);
    sum[1] = hn::MulAdd(u, hn::Sub(at.load(row.x + j), spread(row.mean)), sum[1]);
  });
  const double share = 1 / static_cast<double>(rows.n);
  const auto r = static_cast<double>(row.scale);
  row.fixed = static_cast<float>(is_centred ? -r * flat * share : 0);
  row.gradient = static_cast<float>(r * r * r * along * share);
  return row;
}

/// `Side` vectors of `count` rows from column j on: dx, and dw ← dw + Σ dy ⊙ x̂ and, behind dw,
/// db ← db + Σ dy, which are read and written once for all rows.
template <int64_t Side, bool WantsDx, bool WantsSums, class At>
HWY_INLINE void gradient_columns(At at, const NormGradientRows& rows, const GradientRow* row,
                                 int64_t count, int64_t j, float* dw) {
  const float* w = rows.weight;
  float* db = WantsSums ? dw + rows.n : nullptr;
  Floats weight[Side];
  Floats sum_w[Side];
  Floats sum_b[Side];
  HWY_UNROLL(4)
  for (int64_t v = 0; v < Side; ++v) {
    weight[v] = at.load(w + j + v * lanes);
    if constexpr (WantsSums) {
      sum_w[v] = at.load(dw + j + v * lanes);
      sum_b[v] = at.load(db + j + v * lanes);
    }
  }
  for (int64_t k = 0; k < count; ++k) {
    const float* x = row[k].x + j;
    const float* dy = row[k].dy + j;
    float* dx = row[k].dx + j;
    const Floats mean = spread(row[k].mean);
    const Floats scale = spread(row[k].scale);
    const Floats fixed = spread(row[k].fixed);
    const Floats gradient = spread(row[k].gradient);
    Floats out[Side];
    HWY_UNROLL(4)
    for (int64_t v = 0; v < Side; ++v) {
      const Floats d = at.load(dy + v * lanes);
      const Floats away = hn::Sub(at.load(x + v * lanes), mean);
      const Floats rd = hn::Mul(d, scale);
      if constexpr (WantsSums) {
        sum_w[v] = hn::MulAdd(rd, away, sum_w[v]);
        sum_b[v] = hn::Add(sum_b[v], d);
      }
      out[v] = hn::MulAdd(rd, weight[v], hn::NegMulAdd(gradient, away, fixed));
    }
    HWY_UNROLL(4)
    for (int64_t v = 0; WantsDx && v < Side; ++v) {
      at.store(dx + v * lanes, out[v]);
    }
  }
  HWY_UNROLL(4)
  for (int64_t v = 0; WantsSums && v < Side; ++v) {
    at.store(dw + j + v * lanes, sum_w[v]);
    at.store(db + j + v * lanes, sum_b[v]);
  }
}

template <bool WantsDx, bool WantsSums>
HWY_FLATTEN void gradient_rows(const NormGradientRows& rows, int64_t begin, int64_t end,
                               float* dw) {
  const int64_t n = rows.n;
  GradientRow row[together];
  for (int64_t first = begin; first < end; first += together) {
    const int64_t count = HWY_MIN(together, end - first);
    for (int64_t k = 0; k < count; ++k) {
      row[k] = gradient_row(rows, first + k);
    }
    int64_t j = 0;
    for (; j + abreast * lanes <= n; j += abreast * lanes) {
      gradient_columns<abreast, WantsDx, WantsSums>(Whole(), rows, row, count, j, dw);
    }
    for (; j + lanes <= n; j += lanes) {
      gradient_columns<1, WantsDx, WantsSums>(Whole(), rows, row, count, j, dw);
    }
    if (j < n) {
      gradient_columns<1, WantsDx, WantsSums>(Part{n - j}, rows, row, count, j, dw);
    }
  }
}

/// Rows begin to end: dx, and their part of dw and, behind dw, of db, if these are wanted.
void norm_gradient_rows(const NormGradientRows& rows, int64_t begin, int64_t end, float* dw) {
  if (!rows.wants_sums) {
    gradient_rows<true, false>(rows, begin, end, dw);
  } else if (!rows.wants_dx) {
    gradient_rows<false, true>(rows, begin, end, dw);
  } else {
    gradient_rows<true, true>(rows, begin, end, dw);
  }
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {
namespace {

constexpr const char* who = "norm";
/// So few that they are still in the first-level cache when something else is done with them; a multiple
/// of the rows that are computed together.
constexpr int64_t rows_at_a_time = 4;

/// A vector [D] as a row, null where there is none.
float* row_vector(const View& view, int64_t n) {
  if (view.data == nullptr) {
    return nullptr;
  }
  require(view.shape == Shape{n} && view.dtype == DType::f32 && view.is_contiguous(),
          "norm: saw a weight or bias {} {}, needs dense f32 [{}]", name_of(view.dtype), view.shape,
          n);
  return view.as<float>();
}

/// n times `Value`, for a missing weight or bias.
template <int Value>
const float* constant_row(int64_t n) {
  thread_local ScratchBuffer buffer;
  auto* row = buffer.of<float>(n);
  std::fill_n(row, n, static_cast<float>(Value));
  return row;
}

}  // namespace

HWY_EXPORT(norm_rows);
HWY_EXPORT(norm_gradient_rows);

NormRows rows_of(const RowNorm& views) {
  const int64_t count = views.x.shape[0];
  const int64_t n = views.x.shape[1];
  const float* weight = row_vector(views.weight, n);
  const float* bias = row_vector(views.bias, n);
  return {.y = DenseRows(views.y, count, n, who),
          .mean = Column(views.mean, count),
          .scale = Column(views.scale, count),
          .x = DenseRows(views.x, count, n, who),
          .weight = weight == nullptr ? constant_row<1>(n) : weight,
          .bias = bias == nullptr ? constant_row<0>(n) : bias,
          .epsilon = static_cast<float>(views.epsilon),
          .n = n};
}

void norm_some(const NormRows& rows, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(norm_rows)(rows, begin, end);
}

void norm(const RowNorm& views) {
  const NormRows rows = rows_of(views);
  each_range(views.x.shape[0], units_per_chunk(rows.n),
             [&](int64_t begin, int64_t end) { norm_some(rows, begin, end); });
}

void norm_gradient(const RowNormGradient& views) { norm_gradient_of(views, nullptr); }

void norm_gradient_of(const RowNormGradient& views,
                      const std::function<void(int64_t, int64_t)>* after) {
  const int64_t count = views.x.shape[0];
  const int64_t n = views.x.shape[1];
  const float* weight = row_vector(views.weight, n);
  float* dweight = row_vector(views.dweight, n);
  float* dbias = row_vector(views.dbias, n);
  const bool wants_dx = views.dx.data != nullptr;
  const NormGradientRows rows{.dx = DenseRows(wants_dx ? views.dx : views.dy, count, n, who),
                              .dy = DenseRows(views.dy, count, n, who),
                              .x = DenseRows(views.x, count, n, who),
                              .mean = Column(views.mean, count),
                              .scale = Column(views.scale, count),
                              .weight = weight == nullptr ? constant_row<1>(n) : weight,
                              .wants_dx = wants_dx,
                              .wants_sums = dweight != nullptr || dbias != nullptr,
                              .n = n};
  if (!wants_dx && !rows.wants_sums) {
    return;
  }
  const int64_t rows_a_part = std::max<int64_t>(64, units_per_chunk(n));
  const int64_t parts = pieces_of(count, rows_a_part);
  thread_local ScratchBuffer sums_of_parts;  // dw and db of each part
  const int64_t sums = rows.wants_sums ? 2 * n * parts : 0;
  auto* partial = sums_of_parts.of<float>(sums);
  std::fill_n(partial, sums, 0.0F);
  each_range(count, rows_a_part, [&](int64_t begin, int64_t end) {
    float* dw = rows.wants_sums ? partial + 2 * n * (begin / rows_a_part) : nullptr;
    const int64_t some = after != nullptr ? rows_at_a_time : end - begin;
    for (int64_t first = begin; first < end; first += some) {
      const int64_t last = std::min(first + some, end);
      HWY_DYNAMIC_DISPATCH(norm_gradient_rows)(rows, first, last, dw);
      if (after != nullptr) {
        (*after)(first, last);
      }
    }
  });
  if (!rows.wants_sums) {
    return;
  }
  thread_local ScratchBuffer totals;
  const auto join = [&](float* to, const float* from) {
    if (to == nullptr) {
      return;
    }
    auto* total = totals.of<double>(n);
    std::fill_n(total, n, 0.0);
    for (int64_t part = 0; part < parts; ++part, from += 2 * n) {
#pragma omp simd
      for (int64_t j = 0; j < n; ++j) {
        total[j] += static_cast<double>(from[j]);
      }
    }
    for (int64_t j = 0; j < n; ++j) {
      to[j] = static_cast<float>(total[j]);
    }
  };
  join(dweight, partial);
  join(dbias, partial + n);
}

}  // namespace heed::cpu
#endif
