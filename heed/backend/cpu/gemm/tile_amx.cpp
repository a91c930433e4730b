// A tile register holds 16 rows of 64 bytes. Registers 0 to 3 hold the sums of 2 × 2 blocks of 16 ×
// 16, 4 and 5 two blocks of rows of a sliver, 6 and 7 the two halves of a panel of 32 columns: 16
// groups of k, one below the other. A panel is used with all slivers, so slivers are loaded with a
// hint that keeps them out of the first-level cache.
#include "heed/backend/cpu/gemm/tile_amx.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace heed::cpu {
namespace {

constexpr int64_t side = 16;  // of a register's block
constexpr int64_t columns = 2 * side;

/// The number of rows, and of bytes in a row, of each register, in the CPU's format. All registers
/// are full: rows that are not wanted are zeros of a sliver.
struct alignas(64) Shapes {
  uint8_t palette = 1;
  uint8_t first_row = 0;
  uint8_t reserved[14] = {};
  uint16_t bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {side, side, side, side, side, side, side, side};
};

[[gnu::target("amx-tile")]] void configure() {
  static constexpr Shapes shapes;
  _tile_loadconfig(&shapes);
}

/// Releases the registers, so that a change of threads need not save them and the core may sleep.
[[gnu::target("amx-tile")]] void release() { _tile_release(); }

constexpr int64_t line = 64;
constexpr int64_t block = side * line;      // of rows: one register
constexpr int64_t panel_row = 2 * line;     // a group of k of all columns
constexpr int64_t panel_block = 2 * block;  // 16 groups

[[gnu::target("amx-tile")]] void clear_sums() {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
}

/// Stores the sums of one or two blocks of rows.
template <int Blocks>
[[gnu::target("amx-tile")]] void store_sums(const Tile& tile) {
  auto* out = static_cast<float*>(tile.out);
  const int64_t row = 4 * tile.out_row;
  _tile_stored(0, out, row);
  _tile_stored(1, out + side, row);
  if constexpr (Blocks == 2) {
    float* below = out + side * tile.out_row;
    _tile_stored(2, below, row);
    _tile_stored(3, below + side, row);
  }
}

template <int Blocks>
[[gnu::target("amx-tile,amx-bf16")]] void amx_bf16(const Tile& tile) {
  const auto* a = static_cast<const char*>(tile.a);
  const auto* b = static_cast<const char*>(tile.b);
  clear_sums();
  for (int64_t k = 0; k < tile.k; k += line / 2, a += Blocks * block, b += panel_block) {
    _tile_stream_loadd(4, a, line);
    _tile_loadd(6, b, panel_row);
    _tile_dpbf16ps(0, 4, 6);
    _tile_loadd(7, b + line, panel_row);
    _tile_dpbf16ps(1, 4, 7);
    if constexpr (Blocks == 2) {
      _tile_stream_loadd(5, a + block, line);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    }
  }
  store_sums<Blocks>(tile);
}

template <int Blocks>
[[gnu::target("amx-tile,amx-int8")]] void amx_int8(const Tile& tile) {
  const auto* a = static_cast<const char*>(tile.a);
  const auto* b = static_cast<const char*>(tile.b);
  clear_sums();
  for (int64_t k = 0; k < tile.k; k += line, a += Blocks * block, b += panel_block) {
    _tile_stream_loadd(4, a, line);
    _tile_loadd(6, b, panel_row);
    _tile_dpbssd(0, 4, 6);
    _tile_loadd(7, b + line, panel_row);
    _tile_dpbssd(1, 4, 7);
    if constexpr (Blocks == 2) {
      _tile_stream_loadd(5, a + block, line);
      _tile_dpbssd(2, 5, 6);
      _tile_dpbssd(3, 5, 7);
    }
  }
  store_sums<Blocks>(tile);
}

/// Whether the CPU has them and Linux permits this process to use them.
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

constexpr SizedTile bf16_tiles[] = {{32, {amx_bf16<2>}}, {16, {amx_bf16<1>}}};
constexpr SizedTile int8_tiles[] = {{32, {amx_int8<2>}}, {16, {amx_int8<1>}}};

constexpr TileKernel kernels[] = {
    {"amx_bf16", Precision::bf16, Element::bf16, Element::bf16, columns, 2, 32, 32, false,
     has_amx_bf16, bf16_tiles, nullptr, configure, release},
    {"amx_int8", Precision::int8, Element::i8, Element::i8, columns, 4, 64, 64, false, has_amx_int8,
     int8_tiles, nullptr, configure, release},
};

}  // namespace

std::span<const TileKernel> amx_kernels() { return kernels; }

}  // namespace heed::cpu

#else

namespace heed::cpu {

std::span<const TileKernel> amx_kernels() { return {}; }

}  // namespace heed::cpu

#endif
