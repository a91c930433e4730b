// Products by the f32 tiles of packed weights; both operands are packed during the product:
//
//   for blocks of columns, then of k:  b → panels of C columns
//     for blocks of rows:              a → slivers of R rows
//       tiles of R × C, their sums held in registers over the block of k
//
// Every step is cut for the thread pool by shape only, and each result is one sum in the order of
// k, in whatever tile it is.
#include <algorithm>
#include <array>

#include "heed/backend/cpu/chunks.h"
#include "heed/backend/cpu/gemm/interleave.h"
#include "heed/backend/cpu/gemm/product.h"
#include "heed/backend/cpu/scratch_buffer.h"

namespace heed::cpu {
namespace {

constexpr int64_t block_k = 512;         // a panel of 12 and a sliver fit the first-level cache
constexpr int64_t block_rows = 1024;     // packed at a time
constexpr int64_t block_columns = 2016;  // packed at a time; whole panels of 12, 16 and 32
constexpr int64_t unit_rows = 128;       // their slivers fit the second-level cache
constexpr int64_t least_work = 1 << 21;  // of a unit: multiply-adds
constexpr int64_t most_work = 1 << 23;
constexpr int64_t units_wanted = 32;     // enough to keep many threads busy
constexpr int64_t few_rows = 64;         // up to here panels are packed where they are used
constexpr int64_t panels_at_a_time = 4;  // if b's rows are dense, they share its cache lines

void scale_out(const Product& p) {
  each_range(p.m, units_per_chunk(p.n), [&](int64_t i, int64_t last) {
    for (; i < last; ++i) {
      for (int64_t j = 0; j < p.n; ++j) {
        p.out[i * p.out_row + j * p.out_column] *= p.beta;
      }
    }
  });
}

/// Rows of a matrix in slices of `width`, packed one behind the other: all at once or, if each is
/// used only a few times, some when they are needed.
class Packed {
 public:
  Packed(const Matrix& x, int64_t rows, int64_t k, int64_t padded, int64_t width)
      : x_(x), rows_(rows), k_(k), padded_(padded), width_(width), count_(pieces_of(rows, width)) {}

  void pack_all(ScratchBuffer& memory) {
    data_ = memory.of<float>(offset(count_));
    constexpr int64_t together = 8;
    const int64_t some = pieces_of(units_per_chunk(width_ * k_), together) * together;
    each_range(count_, some, [&](int64_t i, int64_t last) { pack(i, last, data_ + offset(i)); });
  }
  /// The slices [i, last), in this thread's memory unless all are packed.
  const float* slices(int64_t i, int64_t last) const {
    if (data_ != nullptr) {
      return data_ + offset(i);
    }
    thread_local ScratchBuffer memory;
    float* to = memory.of<float>(offset(last - i));
    pack(i, last, to);
    return to;
  }
  void scale(float by) {
    if (by != 1) {
      std::for_each(data_, data_ + offset(count_), [by](float& x) { x *= by; });
    }
  }
  bool are_packed() const { return data_ != nullptr; }
  int64_t padded() const { return padded_; }
  int64_t count() const { return count_; }
  int64_t width() const { return width_; }
  int64_t offset(int64_t slices) const { return slices * width_ * padded_; }

 private:
  void pack(int64_t i, int64_t last, float* to) const {
    const int64_t rows = std::min(last * width_, rows_) - i * width_;
    interleave_all({x_.at(i * width_, 0), rows, k_, padded_, width_, 1}, to);
  }

  Matrix x_;
  int64_t rows_;
  int64_t k_;
  int64_t padded_;
  int64_t width_;
  int64_t count_;
  float* data_ = nullptr;
};

/// Which part of the sums over k a block computes.
struct Depth {
  bool is_first;
  bool is_last;
};

/// One block: all tiles of its slivers × panels, where p is the block's part of the product.
class Block {
 public:
  Block(const Product& p, const Packed& slivers, const Packed& panels, const TileKernel& kernel,
        const Depth& depth)
      : p_(p),
        slivers_(slivers),
        panels_(panels),
        tile_(kernel.tile_for(slivers.width())),
        adds_(p.beta != 0 || !depth.is_first),
        depth_(depth) {}

  void run() const {
    const int64_t high = unit_rows / slivers_.width();
    const int64_t work =
        std::clamp(p_.m * p_.n * slivers_.padded() / units_wanted, least_work, most_work);
    const int64_t wide = std::max<int64_t>(
        1, work / (std::min(p_.m, unit_rows) * panels_.width() * slivers_.padded()));
    const int64_t down = pieces_of(slivers_.count(), high);
    const int64_t across = pieces_of(panels_.count(), wide);
    parallel_for(down * across, [&](int64_t unit) {
      const int64_t i = unit / across * high;
      const int64_t j = unit % across * wide;
      const int64_t last_i = std::min(i + high, slivers_.count());
      const int64_t last_j = std::min(j + wide, panels_.count());
      for (int64_t some = j; some < last_j; some += panels_at_a_time) {
        const int64_t last = std::min(some + panels_at_a_time, last_j);
        const float* b = panels_.slices(some, last);
        for (int64_t panel = some; panel < last; ++panel, b += panels_.offset(1)) {
          const float* a = slivers_.slices(i, last_i);
          for (int64_t sliver = i; sliver < last_i; ++sliver, a += slivers_.offset(1)) {
            tile(sliver, panel, a, b, ahead(b, panel, sliver - i));
          }
        }
      }
      if (depth_.is_last && p_.after != AfterProduct::nothing) {
        part_of({i, last_i}, {j, last_j}).finish();
      }
    });
  }

 private:
  struct Span {
    int64_t first;
    int64_t last;
  };
  Product part_of(const Span& slivers, const Span& panels) const {
    const int64_t i = slivers.first * slivers_.width();
    const int64_t j = panels.first * panels_.width();
    return p_.tile(i, std::min(slivers.last * slivers_.width(), p_.m) - i, j,
                   std::min(panels.last * panels_.width(), p_.n) - j);
  }
  /// The part of the next panel that the tile with the n-th sliver may prefetch, if it is packed.
  const float* ahead(const float* b, int64_t panel, int64_t n) const {
    const int64_t next = panels_.offset(1) + n * 4 * slivers_.padded();
    return panels_.are_packed() && panel + 1 < panels_.count() ? b + next : nullptr;
  }

  void tile(int64_t sliver, int64_t panel, const float* a, const float* b,
            const float* ahead) const {
    const Product part = part_of({sliver, sliver + 1}, {panel, panel + 1});
    const bool has_bias = part.bias != nullptr && depth_.is_first;
    if (has_bias) {
      part.begin_with_bias();
    }
    Tile tile{a, b, slivers_.padded(), part.m, part.out, part.out_row, adds_ || has_bias};
    tile.ahead = ahead;
    if (part.m == slivers_.width() && part.n == panels_.width() && p_.out_column == 1) {
      tile_.run(tile);
    } else {
      in_scratch(part, tile);
    }
  }

  /// The sums go through a whole tile in scratch memory if the result is smaller or has other
  /// strides.
  void in_scratch(const Product& part, Tile tile) const {
    std::array<float, widest_tile * widest_tile> sums;
    tile.out = sums.data();
    tile.out_row = panels_.width();
    const auto each = [&](const auto& body) {
      for (int64_t r = 0; r < part.m; ++r) {
        for (int64_t c = 0; c < part.n; ++c) {
          body(sums[static_cast<size_t>(r * panels_.width() + c)],
               part.out[r * part.out_row + c * part.out_column]);
        }
      }
    };
    if (tile.adds) {
      sums.fill(0);
      each([](float& sum, const float& out) { sum = out; });
    }
    tile_.run(tile);
    each([](const float& sum, float& out) { out = sum; });
  }

  const Product& p_;
  const Packed& slivers_;
  const Packed& panels_;
  const SizedTile& tile_;
  bool adds_;
  Depth depth_;
};

}  // namespace

void multiply_tiled(const Product& product, const TileKernel& kernel) {
  const Product p = product.out_column != 1 && product.out_row == 1 ? product.flipped() : product;
  if (p.beta != 0 && p.beta != 1) {
    scale_out(p);
  }
  const int64_t sliver_rows = kernel.tile_for(std::min(p.m, kernel.most_rows())).rows;
  thread_local ScratchBuffer panel_memory;
  thread_local ScratchBuffer sliver_memory;
  for (int64_t j = 0; j < p.n; j += block_columns) {
    const int64_t n = std::min(block_columns, p.n - j);
    for (int64_t k = 0; k < p.k; k += block_k) {
      const int64_t depth = std::min(block_k, p.k - k);
      const int64_t padded = kernel.padded(depth);
      Packed panels(p.b.at(k, j).flipped(), n, depth, padded, kernel.columns);
      if (p.m > few_rows) {
        panels.pack_all(panel_memory);
      }
      for (int64_t i = 0; i < p.m; i += block_rows) {
        const int64_t m = std::min(block_rows, p.m - i);
        Packed slivers(p.a.at(i, k), m, depth, padded, sliver_rows);
        slivers.pack_all(sliver_memory);
        slivers.scale(p.alpha);
        Block(p.tile(i, m, j, n), slivers, panels, kernel, {k == 0, k + depth == p.k}).run();
      }
    }
  }
}

}  // namespace heed::cpu
