// Tiles for x86: AVX2 and AVX-512 (f32), AVX512-BF16, AVX512-VNNI and AVX2 (int8), each chosen if
// the CPU has it. Tiles with tile registers (AMX) are in tile_amx.cpp.
//
// A panel of 16 columns is one register of AVX-512 or two of AVX2; a panel of 32 is two of AVX-512.
// A row's element in the group of k is copied into all lanes. Loops over sums are unrolled by a
// pragma, because GCC by itself unrolls them too late, and sums would go through memory before and
// after k.
#include "heed/backend/cpu/gemm/tile.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include <cstring>
#include <vector>

#include "heed/backend/cpu/gemm/interleave.h"
#include "heed/backend/cpu/gemm/tile_amx.h"
#include "heed/device/half.h"

namespace heed::cpu {
namespace {

constexpr int64_t columns = 16;
constexpr int64_t wide_columns = 32;

/// The number of groups of k with their own sums, for R rows of whole numbers, which are exact in any
/// order.
constexpr int groups_for(int rows) { return rows >= 8 ? 1 : rows >= 4 ? 2 : 4; }

int32_t four_bytes(const void* from) {
  int32_t x = 0;
  std::memcpy(&x, from, sizeof(x));
  return x;
}

/// R rows × P panels of 32 columns: a broadcast is used by two multiply-adds or more, so that loads
/// are fast enough.
template <int R, int P>
[[gnu::target("avx512f")]] void avx512_f32(const Tile& tile) {
  __m512 sums[P][R][2];
  auto* out = static_cast<float*>(tile.out);
#pragma GCC unroll 16
  for (int p = 0; p < P; ++p) {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const float* from = out + p * tile.out_panel + r * tile.out_row;
      sums[p][r][0] = tile.adds ? _mm512_loadu_ps(from) : _mm512_setzero_ps();
      sums[p][r][1] = tile.adds ? _mm512_loadu_ps(from + 16) : _mm512_setzero_ps();
    }
  }
  const auto* a = static_cast<const float*>(tile.a);
  const auto* b = static_cast<const float*>(tile.b);
  const int64_t next = tile.b_panel / 4;
  const auto* ahead = static_cast<const char*>(tile.ahead != nullptr ? tile.ahead : tile.b);
  for (int64_t k = 0; k < tile.k; k += 4, a += 4 * R, b += 4 * wide_columns) {
    _mm_prefetch(ahead + 16 * k, _MM_HINT_T1);
#pragma GCC unroll 16
    for (int group = 0; group < 4; ++group) {
#pragma GCC unroll 16
      for (int p = 0; p < P; ++p) {
        const __m512 low = _mm512_loadu_ps(b + p * next + group * wide_columns);
        const __m512 high = _mm512_loadu_ps(b + p * next + group * wide_columns + 16);
#pragma GCC unroll 16
        for (int r = 0; r < R; ++r) {
          const __m512 x = _mm512_set1_ps(a[group * R + r]);
          sums[p][r][0] = _mm512_fmadd_ps(x, low, sums[p][r][0]);
          sums[p][r][1] = _mm512_fmadd_ps(x, high, sums[p][r][1]);
        }
      }
    }
  }
#pragma GCC unroll 16
  for (int p = 0; p < P; ++p) {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      float* to = out + p * tile.out_panel + r * tile.out_row;
      _mm512_storeu_ps(to, sums[p][r][0]);
      _mm512_storeu_ps(to + 16, sums[p][r][1]);
    }
  }
}

template <int R, int P>
[[gnu::target("avx512f,avx512bf16")]] void avx512_bf16(const Tile& tile) {
  __m512 sums[P][R];
#pragma GCC unroll 16
  for (int p = 0; p < P; ++p) {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      sums[p][r] = _mm512_setzero_ps();
    }
  }
  const auto* a = static_cast<const char*>(tile.a);
  const auto* b = static_cast<const char*>(tile.b);
  for (int64_t group = 0; group < tile.k / 2; group += 2, a += 8 * R, b += 128) {
#pragma GCC unroll 16
    for (int u = 0; u < 2; ++u) {
#pragma GCC unroll 16
      for (int p = 0; p < P; ++p) {
        const auto y =
            reinterpret_cast<__m512bh>(_mm512_loadu_si512(b + p * tile.b_panel + 64 * u));
#pragma GCC unroll 16
        for (int r = 0; r < R; ++r) {
          const __m512i x = _mm512_set1_epi32(four_bytes(a + 4 * (u * R + r)));
          sums[p][r] = _mm512_dpbf16_ps(sums[p][r], reinterpret_cast<__m512bh>(x), y);
        }
      }
    }
  }
#pragma GCC unroll 16
  for (int p = 0; p < P; ++p) {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      float* to = static_cast<float*>(tile.out) + p * tile.out_panel + r * tile.out_row;
      _mm512_storeu_ps(to, sums[p][r]);
    }
  }
}

template <int R>
[[gnu::target("avx512f,avx512vnni")]] void avx512_vnni(const Tile& tile) {
  constexpr int U = groups_for(R);
  __m512i sums[U][R];
#pragma GCC unroll 16
  for (int u = 0; u < U; ++u) {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      sums[u][r] = _mm512_setzero_si512();
    }
  }
  const auto* a = static_cast<const char*>(tile.a);
  const auto* b = static_cast<const char*>(tile.b);
  for (int64_t group = 0; group < tile.k / 4; group += U, a += 4 * U * R, b += 64 * U) {
#pragma GCC unroll 16
    for (int u = 0; u < U; ++u) {
      const __m512i y = _mm512_loadu_si512(b + 64 * u);
#pragma GCC unroll 16
      for (int r = 0; r < R; ++r) {
        const __m512i x = _mm512_set1_epi32(four_bytes(a + 4 * (u * R + r)));
        sums[u][r] = _mm512_dpbusd_epi32(sums[u][r], x, y);
      }
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
    __m512i total = sums[0][r];
#pragma GCC unroll 16
    for (int u = 1; u < U; ++u) {
      total = _mm512_add_epi32(total, sums[u][r]);
    }
    _mm512_storeu_si512(static_cast<int32_t*>(tile.out) + r * tile.out_row, total);
  }
}

template <int R, int P>
[[gnu::target("avx2,fma")]] void avx2_f32(const Tile& tile) {
  __m256 sums[P][R][2];
  auto* out = static_cast<float*>(tile.out);
#pragma GCC unroll 16
  for (int p = 0; p < P; ++p) {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const float* from = out + p * tile.out_panel + r * tile.out_row;
      sums[p][r][0] = tile.adds ? _mm256_loadu_ps(from) : _mm256_setzero_ps();
      sums[p][r][1] = tile.adds ? _mm256_loadu_ps(from + 8) : _mm256_setzero_ps();
    }
  }
  const auto* a = static_cast<const float*>(tile.a);
  const auto* b = static_cast<const float*>(tile.b);
  const int64_t next = tile.b_panel / 4;
  for (int64_t k = 0; k < tile.k; k += 2, a += 2 * R, b += 2 * columns) {
#pragma GCC unroll 16
    for (int u = 0; u < 2; ++u) {
#pragma GCC unroll 16
      for (int p = 0; p < P; ++p) {
        const __m256 low = _mm256_loadu_ps(b + p * next + u * columns);
        const __m256 high = _mm256_loadu_ps(b + p * next + u * columns + 8);
#pragma GCC unroll 16
        for (int r = 0; r < R; ++r) {
          const __m256 x = _mm256_broadcast_ss(a + u * R + r);
          sums[p][r][0] = _mm256_fmadd_ps(x, low, sums[p][r][0]);
          sums[p][r][1] = _mm256_fmadd_ps(x, high, sums[p][r][1]);
        }
      }
    }
  }
#pragma GCC unroll 16
  for (int p = 0; p < P; ++p) {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      float* to = out + p * tile.out_panel + r * tile.out_row;
      _mm256_storeu_ps(to, sums[p][r][0]);
      _mm256_storeu_ps(to + 8, sums[p][r][1]);
    }
  }
}

/// Rows are i16, panels i8, with two of k in a group, so that products are exact and nothing
/// saturates.
template <int R>
[[gnu::target("avx2")]] void avx2_whole(const Tile& tile) {
  __m256i sums[R][2];
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
    sums[r][0] = _mm256_setzero_si256();
    sums[r][1] = _mm256_setzero_si256();
  }
  const auto* a = static_cast<const char*>(tile.a);
  const auto* b = static_cast<const char*>(tile.b);
  for (int64_t group = 0; group < tile.k / 2; ++group, a += 4 * R, b += 2 * columns) {
    const auto* y = reinterpret_cast<const __m128i*>(b);
    const __m256i low = _mm256_cvtepi8_epi16(_mm_loadu_si128(y));
    const __m256i high = _mm256_cvtepi8_epi16(_mm_loadu_si128(y + 1));
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const __m256i x = _mm256_set1_epi32(four_bytes(a + 4 * r));
      sums[r][0] = _mm256_add_epi32(sums[r][0], _mm256_madd_epi16(x, low));
      sums[r][1] = _mm256_add_epi32(sums[r][1], _mm256_madd_epi16(x, high));
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
    auto* to = static_cast<int32_t*>(tile.out) + r * tile.out_row;
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), sums[r][0]);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 8), sums[r][1]);
  }
}

[[gnu::target("avx512f,avx512vl,avx512bf16")]] void round_by_avx512(const float* from, int64_t n,
                                                                    uint16_t* to) {
  int64_t i = 0;
  for (; i + columns <= n; i += columns) {
    const __m256bh rounded = _mm512_cvtneps_pbh(_mm512_loadu_ps(from + i));
    std::memcpy(to + i, &rounded, sizeof(rounded));
  }
  for (; i < n; ++i) {
    to[i] = bf16_bits(from[i]);
  }
}

constexpr SizedTile avx512_f32_tiles[] = {
    {12, {avx512_f32<12, 1>}},
    {8, {avx512_f32<8, 1>}},
    {4, {avx512_f32<4, 1>}},
    {2, {avx512_f32<2, 1>, avx512_f32<2, 2>}},
    {1, {avx512_f32<1, 1>, avx512_f32<1, 2>, avx512_f32<1, 3>, avx512_f32<1, 4>}}};
constexpr SizedTile avx512_bf16_tiles[] = {
    {12, {avx512_bf16<12, 1>}},
    {8, {avx512_bf16<8, 1>}},
    {4, {avx512_bf16<4, 1>, avx512_bf16<4, 2>}},
    {2, {avx512_bf16<2, 1>, avx512_bf16<2, 2>, avx512_bf16<2, 3>, avx512_bf16<2, 4>}},
    {1, {avx512_bf16<1, 1>, avx512_bf16<1, 2>, avx512_bf16<1, 3>, avx512_bf16<1, 4>}}};
constexpr SizedTile avx512_vnni_tiles[] = {{12, {avx512_vnni<12>}},
                                           {8, {avx512_vnni<8>}},
                                           {4, {avx512_vnni<4>}},
                                           {2, {avx512_vnni<2>}},
                                           {1, {avx512_vnni<1>}}};
constexpr SizedTile avx2_f32_tiles[] = {
    {6, {avx2_f32<6, 1>}},
    {4, {avx2_f32<4, 1>}},
    {2, {avx2_f32<2, 1>, avx2_f32<2, 2>}},
    {1, {avx2_f32<1, 1>, avx2_f32<1, 2>, avx2_f32<1, 3>, avx2_f32<1, 4>}}};
constexpr SizedTile avx2_whole_tiles[] = {
    {4, {avx2_whole<4>}}, {2, {avx2_whole<2>}}, {1, {avx2_whole<1>}}};

bool has_avx512() { return __builtin_cpu_supports("avx512f") != 0; }
bool has_avx512_bf16() { return has_avx512() && __builtin_cpu_supports("avx512bf16") != 0; }
bool has_avx512_vnni() { return has_avx512() && __builtin_cpu_supports("avx512vnni") != 0; }
bool has_avx2() {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
}

using enum Element;

constexpr TileKernel vector_kernels[] = {
    {"avx512", Precision::f32, f32, f32, wide_columns, 1, 1, 4, false, has_avx512,
     avx512_f32_tiles},
    {"avx2", Precision::f32, f32, f32, columns, 1, 1, 4, false, has_avx2, avx2_f32_tiles},
    {"avx512_bf16", Precision::bf16, bf16, bf16, columns, 2, 2, 8, false, has_avx512_bf16,
     avx512_bf16_tiles, round_by_avx512},
    {"avx512", Precision::bf16, bf16, f32, wide_columns, 1, 1, 4, true, has_avx512,
     avx512_f32_tiles},
    {"avx2", Precision::bf16, bf16, f32, columns, 1, 1, 4, true, has_avx2, avx2_f32_tiles},
    {"avx512_vnni", Precision::int8, i8, u8, columns, 4, 4, 16, false, has_avx512_vnni,
     avx512_vnni_tiles},
    {"avx2", Precision::int8, i8, i16, columns, 2, 2, 2, false, has_avx2, avx2_whole_tiles},
};

}  // namespace

std::span<const TileKernel> x86_kernels() {
  static const std::vector<TileKernel> all = [] {
    std::vector<TileKernel> list(amx_kernels().begin(), amx_kernels().end());
    for (TileKernel& each : list) {
      each.round =
          each.precision == Precision::bf16 && has_avx512_bf16() ? round_by_avx512 : nullptr;
    }
    list.insert(list.end(), std::begin(vector_kernels), std::end(vector_kernels));
    return list;
  }();
  return all;
}

}  // namespace heed::cpu

#else

namespace heed::cpu {

std::span<const TileKernel> x86_kernels() { return {}; }

}  // namespace heed::cpu

#endif
