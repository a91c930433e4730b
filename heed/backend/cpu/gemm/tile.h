// The inner loop of every packed product: a tile of R rows × C columns,
//
//   out[r, c] (+)= Σ_g Σ_d a[g, r, d] · b[g, c, d]
//
// where D neighbours along k are together, as the CPU's dot products need them: a panel of b holds
// C columns, one group of k after the other, and a sliver of a holds R rows in the same way. D is 1
// for f32, 2 or 4 for bf16, 2, 4 or 8 for int8; AMX takes 64 bytes of each row.
//
// Each result is one chain of sums in the order of k, whatever R is, so the bits of a row do not
// depend on how many rows are multiplied with it. A CPU needs about a dozen independent chains, so
// tiles of few rows take several panels at once.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "heed/device/kernel/packed.h"

namespace heed::cpu {

enum class Element : uint8_t { f32, bf16, i8, u8, i16 };

constexpr int64_t bytes_of(Element element) {
  return element == Element::f32 ? 4 : element == Element::bf16 || element == Element::i16 ? 2 : 1;
}

/// The limit of a tile's rows and columns.
inline constexpr int64_t widest_tile = 32;

struct Tile {
  const void* a = nullptr;
  const void* b = nullptr;
  int64_t k = 0;        // padded to the kernel's k_step
  int64_t rows = 0;     // the rows that are wanted; the others may be left out
  void* out = nullptr;  // f32, or i32 of whole numbers
  int64_t out_row = 0;  // elements from row to row
  bool adds = false;    // to out; f32 only
  /// If there are several panels: bytes of b and elements of out from one panel to the next.
  int64_t b_panel = 0;
  int64_t out_panel = 0;
  /// Memory that is read soon; a tile may prefetch one line (64 bytes) of it for each four of k.
  const void* ahead = nullptr;
};

/// to ← from rounded to bf16: to the nearest, ties to even; NaN stays NaN.
using Rounding = void (*)(const float* from, int64_t n, uint16_t* to);

/// The limit of panels that a tile takes at once.
inline constexpr int64_t most_panels = 4;

struct SizedTile {
  int64_t rows = 0;
  /// By one panel, by two side by side, … as far as that helps.
  std::array<void (*)(const Tile& tile), most_panels> by_panels = {};

  void run(const Tile& tile) const { by_panels[0](tile); }
  void run(const Tile& tile, int64_t panels) const {
    by_panels[static_cast<size_t>(panels - 1)](tile);
  }
  int64_t panels() const {
    int64_t count = 1;
    while (count < most_panels && by_panels[static_cast<size_t>(count)] != nullptr) {
      ++count;
    }
    return count;
  }
};

struct TileKernel {
  const char* name;     // of the instruction set: "neon", "sdot", …
  Precision precision;  // of the weights
  Element weights;      // in panels
  Element rows;         // in slivers; u8 is i8 + 128, for which the result is corrected
  int64_t columns;      // C
  int64_t depth;        // D of a panel
  int64_t row_depth;    // D of a sliver
  int64_t k_step;       // k is padded with zeros to a multiple of this
  bool widens;          // panels of bf16 become f32 before tiles see them
  bool (*is_available)();
  std::span<const SizedTile> tiles;  // most rows first
  Rounding round = nullptr;          // set if the CPU has an instruction for it
  void (*begin)() = nullptr;         // what a thread does before its tiles, and after them
  void (*end)() = nullptr;

  bool sums_whole_numbers() const { return precision == Precision::int8; }
  int64_t most_rows() const { return tiles.front().rows; }
  /// The smallest tile that holds this many rows.
  const SizedTile& tile_for(int64_t wanted) const {
    size_t i = tiles.size() - 1;
    while (i > 0 && tiles[i].rows < wanted) {
      --i;
    }
    return tiles[i];
  }
  int64_t padded(int64_t k) const {  // tiles need at least one group
    return k == 0 ? k_step : (k + k_step - 1) / k_step * k_step;
  }
};

/// As long as it lives, this thread may run the kernel's tiles.
class InTiles {
 public:
  explicit InTiles(const TileKernel& kernel) : kernel_(kernel) {
    if (kernel.begin != nullptr) {
      kernel.begin();
    }
  }
  ~InTiles() {
    if (kernel_.end != nullptr) {
      kernel_.end();
    }
  }
  InTiles(const InTiles&) = delete;
  InTiles& operator=(const InTiles&) = delete;

 private:
  const TileKernel& kernel_;
};

// Each file offers what it has for the architecture it is compiled for, fastest first.
std::span<const TileKernel> arm_kernels();
std::span<const TileKernel> x86_kernels();
std::span<const TileKernel> plain_kernels();

/// All kernels, fastest first, whether this CPU has them or not; packed memory names a kernel by
/// its index in this list.
std::span<const TileKernel* const> tile_kernels();
/// The fastest kernel that this CPU has.
const TileKernel& tile_kernel(Precision precision);

}  // namespace heed::cpu
