// The weights of softmax without their common factor, eight rows at a time:
//
//   u = 2^(c e − peak), peak = max_j c e_j     f = 1 / Σ u     entropy = −ln f − f ln 2 Σ u log₂ u
//
// The latencies of a row (its largest score, its sum and the division by it) are hidden by the work
// on the other rows. The sums of a row do not depend on the rows next to it.
#include <hwy/highway.h>

#include "heed/backend/cpu/attend/row_math-inl.h"
#include "heed/backend/cpu/reduce_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {
namespace {

constexpr float log2_e = 1.44269504F;

/// Whole vectors that cover some rows; only in [whole, ragged) all columns of all rows are open.
struct Columns {
  int64_t begin;
  int64_t whole;
  int64_t ragged;
  int64_t end;
};

template <int R>
HWY_INLINE Columns columns_of(const WeightRow* row) {
  int64_t first = row[0].first;
  int64_t last = row[0].last;
  int64_t opens = row[0].begin;
  int64_t closes = row[0].end;
  for (int r = 1; r < R; ++r) {
    first = std::min(first, row[r].first);
    last = std::max(last, row[r].last);
    opens = std::max(opens, row[r].begin);
    closes = std::min(closes, row[r].end);
  }
  constexpr int64_t n = lanes;
  const int64_t begin = first / n * n;
  const int64_t end = (last + n - 1) / n * n;
  const int64_t whole = std::clamp((opens + n - 1) / n * n, begin, end);
  return {begin, whole, std::clamp(closes / n * n, whole, end), end};
}

/// The number of vectors of each row that are computed at once to hide latencies.
template <int R>
constexpr int side_by_side = R < 4 ? 4 / R : 1;

/// The larger of `most` and the scores of columns where every row is open.
template <int R>
HWY_INLINE void find_largest_open(float* const (&e)[R], int64_t begin, int64_t end,
                                  Floats (&most)[R]) {
  constexpr int vectors = R * side_by_side<R>;
  int64_t j = begin;
  if constexpr (vectors > R) {
    Floats best[vectors];
    for (Floats& each : best) {
      each = spread(lowest);
    }
    for (const int64_t n = vectors / R * lanes; j + n <= end; j += n) {
      for (int i = 0; i < vectors; ++i) {
        best[i] = hn::Max(best[i], load(e[i % R] + j + i / R * lanes));
      }
    }
    for (int i = 0; i < vectors; ++i) {
      most[i % R] = hn::Max(most[i % R], best[i]);
    }
  }
  for (; j < end; j += lanes) {
    for (int r = 0; r < R; ++r) {
      most[r] = hn::Max(most[r], load(e[r] + j));
    }
  }
}

/// The largest scores of each row, lane by lane. Closed columns are set to −∞.
template <int R>
HWY_INLINE void find_largest(const WeightRow* row, float* const (&e)[R], const Columns& columns,
                             Floats (&most)[R]) {
  const hn::RebindToUnsigned<Wide> number;
  hn::Vec<decltype(number)> opens[R];
  hn::Vec<decltype(number)> width[R];
  for (int r = 0; r < R; ++r) {
    most[r] = spread(lowest);
    opens[r] = hn::Set(number, static_cast<uint32_t>(row[r].begin));
    width[r] = hn::Set(number, static_cast<uint32_t>(row[r].end - row[r].begin));
  }
  const auto partly_open = [&](int64_t begin, int64_t end) HWY_ATTR {
    for (int64_t j = begin; j < end; j += lanes) {
      const auto column = hn::Add(hn::Iota(number, 0), hn::Set(number, static_cast<uint32_t>(j)));
      for (int r = 0; r < R; ++r) {
        const auto is_open = hn::Lt(hn::Sub(column, opens[r]), width[r]);
        const Floats x =
            hn::IfThenElse(hn::RebindMask(Wide(), is_open), load(e[r] + j), spread(lowest));
        store(e[r] + j, x);
        most[r] = hn::Max(most[r], x);
      }
    }
  };
  partly_open(columns.begin, columns.whole);
  find_largest_open(e, columns.whole, columns.ragged, most);
  partly_open(columns.ragged, columns.end);
}

/// V vectors of each row: e ← u, with Σ u and, if asked for, Σ u log₂ u, lane by lane. Nothing is
/// stored before all is loaded, because a store might change what is loaded next.
template <bool with_logs, int V, int R>
HWY_INLINE void raise_vectors(float* const (&e)[R], int64_t j, float rate, const Floats (&less)[R],
                              Floats (&total)[R], Floats (&logs)[R]) {
  Floats x[R * V];
  Floats u[R * V];
  for (int i = 0; i < R * V; ++i) {
    x[i] = hn::MulAdd(load(e[i % R] + j + i / R * lanes), spread(rate), less[i % R]);
    u[i] = exp2_to_127(Wide(), x[i]);
  }
  for (int i = 0; i < R * V; ++i) {
    const int r = i % R;
    store(e[r] + j + i / R * lanes, u[i]);
    total[r] = hn::Add(total[r], u[i]);
    if constexpr (with_logs) {  // where u is 0, x may be −∞
      logs[r] = hn::MulAdd(u[i], hn::Max(x[i], spread(-127.0F)), logs[r]);
    }
  }
}

template <bool with_logs, int R>
HWY_INLINE void raise(float* const (&e)[R], const Columns& columns, float rate, const float* peak,
                      Floats (&total)[R], Floats (&logs)[R]) {
  Floats less[R];
  for (int r = 0; r < R; ++r) {
    less[r] = spread(-peak[r]);
    total[r] = logs[r] = hn::Zero(Wide());
  }
  const int64_t n = side_by_side<R> * lanes;
  int64_t j = columns.begin;
  for (; j + n <= columns.end; j += n) {
    raise_vectors<with_logs, side_by_side<R>>(e, j, rate, less, total, logs);
  }
  for (; j < columns.end; j += lanes) {
    raise_vectors<with_logs, 1>(e, j, rate, less, total, logs);
  }
}

/// to[r] ← f(the reduced lanes of row r), four rows at a time.
template <class Op, int R, class F>
HWY_INLINE void reduce_rows(Op op, const Floats (&x)[R], float* to, const F& f) {
  for (int r = 0; r < R; r += 4) {
    hn::Store(f(reduce_lanes(Wide(), op, x[r], x[(r + 1) % R], x[(r + 2) % R], x[(r + 3) % R])),
              Four(), to + r);
  }
}

/// e ← f e
template <int R>
HWY_INLINE void scale_rows(float* const (&e)[R], const Columns& columns, const float* by) {
  for (int64_t j = columns.begin; j < columns.end; j += lanes) {
    for (int r = 0; r < R; ++r) {
      store(e[r] + j, hn::Mul(load(e[r] + j), spread(by[r])));
    }
  }
}

/// R rows, from the i-th on.
template <bool with_entropy, int R>
void weigh_rows_by_exp(const WeightRows& w, int64_t i, float rate) {
  constexpr int fours = (R + 3) / 4 * 4;
  const Four four;
  WeightRow* row = w.row + i;
  float* e[R];
  for (int r = 0; r < R; ++r) {
    e[r] = w.e[i + r];
  }
  const Columns columns = columns_of<R>(row);
  Floats most[R];
  find_largest(row, e, columns, most);
  alignas(16) float peak[fours];
  reduce_rows(Larger(), most, peak, [=](auto x) HWY_ATTR {  // 0 if all of a row is closed or −∞
    return hn::IfThenElseZero(hn::Ne(x, hn::Set(four, lowest)), hn::Mul(x, hn::Set(four, rate)));
  });
  Floats total[R];
  Floats logs[R];
  raise<with_entropy>(e, columns, rate, peak, total, logs);
  alignas(16) float factor[fours];
  reduce_rows(Plus(), total, factor, [=](auto x) HWY_ATTR {
    return hn::IfThenElseZero(hn::Ne(x, hn::Zero(four)), hn::Div(hn::Set(four, 1.0F), x));
  });
  if (w.is_short) {
    scale_rows(e, columns, factor);
  }
  for (int r = 0; r < R; ++r) {
    row[r].peak = peak[r];
    row[r].level = factor[r];
    row[r].factor = w.is_short && factor[r] != 0 ? 1 : factor[r];
    row[r].entropy = -1;
    if (with_entropy && factor[r] != 0) {
      row[r].entropy = std::max(0.0F, -std::log(factor[r]) - factor[r] * sum_of(logs[r]) / log2_e);
    }
  }
}

template <bool with_entropy>
void weigh_all_by_exp(const WeightRows& w, float rate) {
  int64_t i = 0;
  for (; i + 8 <= w.rows; i += 8) {
    weigh_rows_by_exp<with_entropy, 8>(w, i, rate);
  }
  for (; i + 4 <= w.rows; i += 4) {
    weigh_rows_by_exp<with_entropy, 4>(w, i, rate);
  }
  for (; i < w.rows; ++i) {
    weigh_rows_by_exp<with_entropy, 1>(w, i, rate);
  }
}

/// The scores are still to be multiplied by `rate`.
inline void weigh_by_exp(const WeightRows& w, float rate) {
  w.wants_entropy ? weigh_all_by_exp<true>(w, rate * log2_e)
                  : weigh_all_by_exp<false>(w, rate * log2_e);
}

}  // namespace
}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
