// Products of few dense rows with dense columns: up to 4 × 4 dot products at a time, each summed in
// lanes. One template serves every register width; the instantiation chooses the target.
#pragma once

#include <algorithm>
#include <cstring>

#include "heed/backend/cpu/gemm/product.h"
#include "heed/backend/cpu/lanes.h"

namespace heed::cpu {

template <int Bytes>
struct Dots {
  typedef float Vector __attribute__((vector_size(Bytes)));  // GCC ignores it in a `using`
  static constexpr int64_t width = Bytes / sizeof(float);

  /// Computes p; p.a.column and p.b.row must be 1.
  [[gnu::always_inline]] static void run(const Product& p) {
    int64_t j = 0;
    if (p.m == 1 && p.n * p.k > large) {
      for (; j < p.n; ++j) {
        row(p, j);
      }
    }
    for (; j + 4 <= p.n; j += 4) {
      columns<4>(p, j);
    }
    for (; j < p.n; ++j) {
      columns<1>(p, j);
    }
  }

 private:
  static constexpr int64_t large = 1 << 18;  // elements of b: more than the near caches hold

  /// One row times one column: b is read from end to end, which is fastest for memory.
  [[gnu::always_inline]] static void row(const Product& p, int64_t j) {
    constexpr int U = 8;
    constexpr int64_t ahead = 256;
    Vector sums[U] = {};
    const float* b = p.b.data + j * p.b.column;
    int64_t k = 0;
    for (; k + U * width <= p.k; k += U * width) {
      for (int u = 0; u < U; ++u) {
        Vector x;
        Vector y;
        std::memcpy(&x, p.a.data + k + u * width, Bytes);
        std::memcpy(&y, b + k + u * width, Bytes);
        if (u * Bytes % 64 == 0) {
          __builtin_prefetch(b + k + u * width + ahead);
        }
        sums[u] += x * y;
      }
    }
    const Vector all[1] = {((sums[0] + sums[1]) + (sums[2] + sums[3])) +
                           ((sums[4] + sums[5]) + (sums[6] + sums[7]))};
    float total[1];
    add_lanes<1>(all, total);
    for (; k < p.k; ++k) {
      total[0] += p.a.data[k] * b[k];
    }
    float& out = p.out[j * p.out_column];
    out = p.beta == 0 ? p.alpha * total[0] : p.alpha * total[0] + p.beta * out;
  }

  /// Cuts the rows into pieces of at most four rows, as even as possible.
  template <int C>
  [[gnu::always_inline]] static void columns(const Product& p, int64_t j) {
    int64_t pieces = (p.m + 3) / 4;
    for (int64_t i = 0; i < p.m; --pieces) {
      const int64_t rows = (p.m - i + pieces - 1) / pieces;
      if (rows == 4 && i == 0) {
        tile<4, C, true>(p, i, j);
      } else if (rows == 4) {
        tile<4, C>(p, i, j);
      } else if (rows == 3 && i == 0) {
        tile<3, C, true>(p, i, j);
      } else if (rows == 3) {
        tile<3, C>(p, i, j);
      } else if (rows == 2) {
        tile<2, C>(p, i, j);
      } else {
        tile<1, C>(p, i, j);
      }
      i += rows;
    }
  }

  /// With `fetches_ahead` the first rows prefetch the next columns, because columns are too short
  /// for the CPU's own prefetching.
  template <int R, int C, bool fetches_ahead = false>
  [[gnu::always_inline]] static void tile(const Product& p, int64_t i, int64_t j) {
    Vector sums[R][C] = {};
    const float* a = p.a.data + i * p.a.row;
    const float* b = p.b.data + j * p.b.column;
    int64_t k = 0;
    for (; k + width <= p.k; k += width) {
      Vector x[R] = {};
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) {
        std::memcpy(&x[r], a + r * p.a.row + k, Bytes);
      }
#pragma GCC unroll 8
      for (int c = 0; c < C; ++c) {
        Vector y;
        std::memcpy(&y, b + c * p.b.column + k, Bytes);
        if constexpr (fetches_ahead) {
          __builtin_prefetch(b + (c + C) * p.b.column + k);
        }
#pragma GCC unroll 8
        for (int r = 0; r < R; ++r) {
          sums[r][c] += x[r] * y;
        }
      }
    }
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      float total[C];
      add_lanes<C>(sums[r], total);
      for (int64_t rest = k; rest < p.k; ++rest) {
#pragma GCC unroll 8
        for (int c = 0; c < C; ++c) {
          total[c] += a[r * p.a.row + rest] * b[c * p.b.column + rest];
        }
      }
      float* to = p.out + (i + r) * p.out_row + j * p.out_column;
#pragma GCC unroll 8
      for (int c = 0; c < C; ++c) {
        float& out = to[c * p.out_column];
        out = p.beta == 0 ? p.alpha * total[c] : p.alpha * total[c] + p.beta * out;
      }
    }
  }

  template <int C>
  [[gnu::always_inline]] static void add_lanes(const Vector (&sums)[C], float (&total)[C]) {
    Lanes<float> four[C];
    for (int c = 0; c < C; ++c) {
      const auto* part = reinterpret_cast<const char*>(&sums[c]);
      std::memcpy(&four[c], part, sizeof(four[c]));
      for (size_t next = sizeof(four[c]); next < Bytes; next += sizeof(four[c])) {
        Lanes<float> more;
        std::memcpy(&more, part + next, sizeof(more));
        four[c] += more;
      }
    }
    int c = 0;
    for (; c + 4 <= C; c += 4) {  // four sums of four lanes, all in registers
      const auto pair = [](const Lanes<float>& x, const Lanes<float>& y, Lanes<float>& sum) {
        sum = __builtin_shufflevector(x, y, 0, 4, 1, 5) + __builtin_shufflevector(x, y, 2, 6, 3, 7);
      };
      Lanes<float> front;
      Lanes<float> back;
      pair(four[c], four[c + 1], front);
      pair(four[c + 2], four[c + 3], back);
      const Lanes<float> all = __builtin_shufflevector(front, back, 0, 1, 4, 5) +
                               __builtin_shufflevector(front, back, 2, 3, 6, 7);
      std::memcpy(total + c, &all, sizeof(all));
    }
    for (; c < C; ++c) {
      total[c] = (four[c][0] + four[c][2]) + (four[c][1] + four[c][3]);
    }
  }
};

}  // namespace heed::cpu
