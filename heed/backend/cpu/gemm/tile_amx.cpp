// A tile register holds 16 rows of 64 bytes. Registers 0 to 3 hold the sums of 2 × 2 blocks of
// 16 × 16, 4 and 5 two blocks of rows of a sliver, whose rows lie whole, 6 and 7 the two halves of
// a panel of 32 columns: 16 groups of k, one below the other.
#include "heed/backend/cpu/gemm/tile_amx.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

namespace heed::cpu {
namespace {

constexpr int64_t side = 16;  // of a register's block
constexpr int64_t columns = 2 * side;

/// How many rows of how many bytes each register has; the format is the CPU's.
struct alignas(64) Shapes {
  uint8_t palette = 1;
  uint8_t first_row = 0;
  uint8_t reserved[14] = {};
  uint16_t bytes[16] = {};
  uint8_t rows[16] = {};

  Shapes(int64_t upper, int64_t lower) {
    const int64_t high[] = {upper, upper, lower, lower, upper, lower, side, side};
    for (size_t i = 0; i < 8; ++i) {
      bytes[i] = 64;
      rows[i] = static_cast<uint8_t>(std::max<int64_t>(1, high[i]));
    }
  }
};

/// Sums of the upper 16 rows, and where they are wanted of the lower.
struct Blocks {
  explicit Blocks(const Tile& tile, int64_t element)
      : a(static_cast<const char*>(tile.a)),
        b(static_cast<const char*>(tile.b)),
        row_bytes(tile.k * element),
        steps(tile.k * element / 64),
        upper(std::min(side, tile.rows)),
        lower(tile.rows - upper),
        out(static_cast<float*>(tile.out)),
        out_bytes(4 * tile.out_row) {}

  const char* a;
  const char* b;
  int64_t row_bytes;  // of a sliver
  int64_t steps;      // of 64 bytes of k
  int64_t upper;
  int64_t lower;
  float* out;
  int64_t out_bytes;
};

constexpr int64_t panel_bytes = int64_t{4} * columns;  // a group of k

[[gnu::target("amx-tile,amx-bf16")]] void amx_bf16(const Tile& tile) {
  Blocks at(tile, 2);
  const Shapes shapes(at.upper, at.lower);
  _tile_loadconfig(&shapes);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (int64_t i = 0; i < at.steps; ++i, at.a += 64, at.b += side * panel_bytes) {
    _tile_loadd(6, at.b, panel_bytes);
    _tile_loadd(7, at.b + 64, panel_bytes);
    _tile_loadd(4, at.a, at.row_bytes);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    if (at.lower > 0) {
      _tile_loadd(5, at.a + side * at.row_bytes, at.row_bytes);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    }
  }
  _tile_stored(0, at.out, at.out_bytes);
  _tile_stored(1, at.out + side, at.out_bytes);
  if (at.lower > 0) {
    float* below = at.out + side * tile.out_row;
    _tile_stored(2, below, at.out_bytes);
    _tile_stored(3, below + side, at.out_bytes);
  }
  _tile_release();
}

[[gnu::target("amx-tile,amx-int8")]] void amx_int8(const Tile& tile) {
  Blocks at(tile, 1);
  const Shapes shapes(at.upper, at.lower);
  _tile_loadconfig(&shapes);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (int64_t i = 0; i < at.steps; ++i, at.a += 64, at.b += side * panel_bytes) {
    _tile_loadd(6, at.b, panel_bytes);
    _tile_loadd(7, at.b + 64, panel_bytes);
    _tile_loadd(4, at.a, at.row_bytes);
    _tile_dpbssd(0, 4, 6);
    _tile_dpbssd(1, 4, 7);
    if (at.lower > 0) {
      _tile_loadd(5, at.a + side * at.row_bytes, at.row_bytes);
      _tile_dpbssd(2, 5, 6);
      _tile_dpbssd(3, 5, 7);
    }
  }
  _tile_stored(0, at.out, at.out_bytes);
  _tile_stored(1, at.out + side, at.out_bytes);
  if (at.lower > 0) {
    float* below = at.out + side * tile.out_row;
    _tile_stored(2, below, at.out_bytes);
    _tile_stored(3, below + side, at.out_bytes);
  }
  _tile_release();
}

/// The CPU has them, and Linux lets this process use them once it has asked.
bool has_tiles(uint32_t bit) {
  uint32_t a = 0;
  uint32_t b = 0;
  uint32_t c = 0;
  uint32_t d = 0;
  constexpr uint32_t tile_bit = 24;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (d >> tile_bit & 1) == 0 ||
      (d >> bit & 1) == 0) {
    return false;
  }
  constexpr int request_permission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr int tile_data = 18;               // XFEATURE_XTILEDATA
  static const bool is_permitted = syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
  return is_permitted;
}

bool has_amx_bf16() { return has_tiles(22); }
bool has_amx_int8() { return has_tiles(25); }

constexpr SizedTile bf16_tiles[] = {{32, amx_bf16}};
constexpr SizedTile int8_tiles[] = {{32, amx_int8}};

constexpr TileKernel kernels[] = {
    {"amx_bf16", Precision::bf16, Element::bf16, Element::bf16, columns, 2, 0, 32, false,
     has_amx_bf16, bf16_tiles},
    {"amx_int8", Precision::int8, Element::i8, Element::i8, columns, 4, 0, 64, false, has_amx_int8,
     int8_tiles},
};

}  // namespace

std::span<const TileKernel> amx_kernels() { return kernels; }

}  // namespace heed::cpu

#else

namespace heed::cpu {

std::span<const TileKernel> amx_kernels() { return {}; }

}  // namespace heed::cpu

#endif
