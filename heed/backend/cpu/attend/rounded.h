// Matrices rounded to bf16, in the order in which a tile kernel reads them, and their products,
// summed in f32.
#pragma once

#include <algorithm>

#include "heed/backend/cpu/attend/scratch.h"
#include "heed/backend/cpu/attend/tiles.h"
#include "heed/backend/cpu/gemm/interleave.h"

namespace heed::cpu {

/// x [rows, k] in slices of rows: panels as high as a tile is wide, or slivers as high as a tile.
struct Rounded {
  char* data = nullptr;
  int64_t rows = 0;
  int64_t k = 0;       // including padding
  int64_t height = 0;  // of a slice
  int64_t bytes = 0;   // of a slice

  int64_t slices() const { return (rows + height - 1) / height; }
  int64_t rows_of(int64_t slice) const { return std::min(height, rows - slice * height); }
};

/// c[i, j] ← Σ_k a[i, k] b[j, from_k + k]
struct RoundedProduct {
  const Rounded& a;  // slivers
  const Rounded& b;  // panels
  TileRows c;
  bool adds = false;   // to c
  int64_t from_k = 0;  // a multiple of the kernel's step
};

class RoundedTiles {
 public:
  explicit RoundedTiles(const TileKernel& kernel) : kernel_(&kernel) {}

  const TileKernel& kernel() const { return *kernel_; }
  Rounded panels(const Matrix& x, int64_t rows, int64_t k, Scratch use) const;
  Rounded slivers(const Matrix& x, int64_t rows, int64_t k, Scratch use) const;

  /// Multiplies all rows of a by all rows of b; nothing else of c is written.
  void multiply(const RoundedProduct& product) const;
  /// Some slivers × some panels, over all of k. Whole tiles are written, so c must have room for
  /// them. c[i][0] is column 0 of the first panel.
  struct Part {
    const Rounded& a;
    const Rounded& b;
    int64_t sliver;
    int64_t slivers;
    int64_t panel;
    int64_t panels;
  };
  void multiply_whole(const Part& part, TileRows c) const;

 private:
  enum class Kind : uint8_t { panels, slivers };
  Rounded sliced(Kind kind, const Matrix& x, const Rounded& shape, Scratch use) const;
  int64_t k_bytes() const { return kernel_->columns * bytes_of(kernel_->rows); }

  const TileKernel* kernel_;
};

}  // namespace heed::cpu
