#include "heed/backend/cpu/gemm/packed.h"

#include <algorithm>
#include <array>

#include "heed/backend/cpu/chunks.h"
#include "heed/backend/cpu/gemm/finish.h"
#include "heed/backend/cpu/gemm/interleave.h"
#include "heed/backend/cpu/kernels.h"
#include "heed/backend/cpu/scratch_buffer.h"
#include "heed/base/error.h"

namespace heed::cpu {
namespace {

constexpr int64_t alignment = 64;
/// The number of multiply-adds that is worth a chunk, times the bytes of an element: fewer bytes
/// are faster.
constexpr int64_t work_a_chunk = 1 << 18;
/// The size of panels that is worth a chunk: with few rows memory is the limit, which two cores
/// read twice as fast as one.
constexpr int64_t bytes_a_chunk = 1 << 17;
/// The size of the slivers that are made at a time, so that they stay in the second-level cache.
constexpr int64_t bytes_at_a_time = 1 << 19;

int64_t aligned(int64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

/// The beginning of packed memory.
struct Header {
  static constexpr int64_t mark = 0x6865656470616B21;
  int64_t signature = mark;
  int64_t kernel = 0;  // its index in tile_kernels
  int64_t n = 0;
  int64_t k = 0;
};

/// The layout of packed memory.
class Layout {
 public:
  Layout(const TileKernel& kernel, int64_t n, int64_t k, void* memory)
      : kernel(kernel),
        n(n),
        k(k),
        padded(kernel.padded(k)),
        panels(pieces_of(n, kernel.columns)),
        panel_bytes(aligned(padded * kernel.columns * bytes_of(kernel.weights))),
        memory_(static_cast<char*>(memory)) {}

  Header& header() const { return *reinterpret_cast<Header*>(memory_); }
  float* scales() const { return reinterpret_cast<float*>(memory_ + aligned(sizeof(Header))); }
  /// Σ_k of every row, in whole numbers.
  int32_t* sums() const { return reinterpret_cast<int32_t*>(scales() + columns()); }
  char* panel(int64_t i) const { return memory_ + front() + i * panel_bytes; }
  /// The part of a panel that the tile with the n-th sliver may prefetch, if there is that much.
  const char* part_of(int64_t i, int64_t n) const {
    const int64_t first = 16 * padded * n;
    return first < panel_bytes ? panel(i) + first : nullptr;
  }
  int64_t bytes() const { return front() + panels * panel_bytes; }

  const TileKernel& kernel;
  const int64_t n;
  const int64_t k;
  const int64_t padded;
  const int64_t panels;
  const int64_t panel_bytes;

 private:
  int64_t columns() const { return panels * kernel.columns; }
  int64_t front() const {
    return aligned(sizeof(Header)) + (kernel.sums_whole_numbers() ? aligned(8 * columns()) : 0);
  }
  char* memory_;
};

int64_t place_of(const TileKernel& kernel) {
  const auto all = tile_kernels();
  return std::find(all.begin(), all.end(), &kernel) - all.begin();
}

Matrix matrix_of(const View& view) { return {view.as<float>(), view.stride(0), view.stride(1)}; }

void pack_panel(const Layout& at, const Matrix& weight, int64_t panel) {
  const TileKernel& kernel = at.kernel;
  const int64_t first = panel * kernel.columns;
  const Slice slice{
      weight.at(first, 0), std::min(kernel.columns, at.n - first), at.k, at.padded, kernel.columns,
      kernel.depth};
  void* to = at.panel(panel);
  switch (kernel.weights) {
    case Element::f32:
      return interleave(slice, static_cast<float*>(to));
    case Element::bf16:
      return interleave_bf16(slice, kernel.round, static_cast<uint16_t*>(to));
    default:
      return interleave_whole(slice, kernel.weights, at.scales() + first, at.sums() + first, to);
  }
}

/// Rows [begin, end) of x as slivers, each as high as its tile.
class Slivers {
 public:
  Slivers(const Layout& at, const Matrix& x, int64_t begin, int64_t end)
      : at_(at),
        x_(x),
        begin_(begin),
        rows_(end - begin),
        count_(pieces_of(rows_, at.kernel.most_rows())),
        bytes_(aligned(at.kernel.most_rows() * at.padded * bytes_of(at.kernel.rows))) {
    // One of each for a thread, kept between calls, because products must not allocate.
    thread_local ScratchBuffer memory;
    thread_local ScratchBuffer scales;
    memory_ = memory.of<char>(count_ * bytes_);
    scales_ = scales.of<float>(count_ * at.kernel.most_rows());
    each_range(count_, units_per_chunk(at.kernel.most_rows() * at.k), [&](int64_t i, int64_t last) {
      for (; i < last; ++i) {
        fill(i);
      }
    });
  }

  int64_t count() const { return count_; }
  int64_t row(int64_t i) const { return begin_ + i * at_.kernel.most_rows(); }
  int64_t rows(int64_t i) const {
    return std::min(at_.kernel.most_rows(), rows_ - i * at_.kernel.most_rows());
  }
  const SizedTile& tile(int64_t i) const { return at_.kernel.tile_for(rows(i)); }
  char* data(int64_t i) const { return memory_ + i * bytes_; }
  float* scales(int64_t i) const { return scales_ + i * at_.kernel.most_rows(); }

 private:
  void fill(int64_t i) const {
    const TileKernel& kernel = at_.kernel;
    const Slice slice{x_.at(row(i), 0), rows(i), at_.k, at_.padded, tile(i).rows, kernel.row_depth};
    if (kernel.sums_whole_numbers()) {
      interleave_whole(slice, kernel.rows, scales(i), nullptr, data(i));
    } else if (kernel.precision == Precision::bf16) {
      interleave_rounded(slice, kernel, data(i));
    } else {
      interleave(slice, reinterpret_cast<float*>(data(i)));
    }
  }

  const Layout& at_;
  Matrix x_;
  int64_t begin_;
  int64_t rows_;
  int64_t count_;
  int64_t bytes_;
  char* memory_ = nullptr;
  float* scales_ = nullptr;
};

/// How the columns of a panel are finished.
[[gnu::always_inline]] inline Finish finish_of(const PackedProduct& product, const Layout& at,
                                               int64_t panel) {
  const TileKernel& kernel = at.kernel;
  const int64_t first = panel * kernel.columns;
  Finish how{kernel.columns, std::min(kernel.columns, at.n - first),
             static_cast<float>(product.scale)};
  if (kernel.sums_whole_numbers()) {
    how.scales = at.scales() + first;
    how.totals = kernel.rows == Element::u8 ? at.sums() + first : nullptr;
  }
  how.bias = product.bias.data != nullptr ? product.bias.as<float>() + first : nullptr;
  how.after = product.after;
  how.adds = product.adds;
  how.out_row = product.out.stride(0);
  how.out_column = product.out.stride(1);
  return how;
}

/// Neighbouring panels, as tiles read them.
struct Panels {
  int64_t first;
  int64_t count;
  const char* data;
  int64_t bytes;  // from one to the next

  int64_t last() const { return first + count; }
  const char* at(int64_t panel) const { return data + (panel - first) * bytes; }
};

Panels panels_of(const Layout& at, int64_t first, int64_t count) {
  const TileKernel& kernel = at.kernel;
  if (!kernel.widens) {
    return {first, count, at.panel(first), at.panel_bytes};
  }
  thread_local ScratchBuffer buffer;
  const int64_t size = at.padded * kernel.columns;
  auto* wide = buffer.of<float>(count * size);
  for (int64_t i = 0; i < count; ++i) {
    widen(reinterpret_cast<const uint16_t*>(at.panel(first + i)), size, wide + i * size);
  }
  return {first, count, reinterpret_cast<const char*>(wide), size * 4};
}

/// Products of all slivers with some panels.
class PanelProduct {
 public:
  PanelProduct(const PackedProduct& product, const Layout& at, const Slivers& slivers)
      : product_(product),
        at_(at),
        slivers_(slivers),
        together_(slivers.tile(slivers.count() - 1).panels()) {}

  /// Panels that the last sliver, which may be a low one, takes side by side.
  int64_t together() const { return together_; }

  void multiply(const Panels& panels) const {
    const bool is_low = panels.count > 1;  // only where the last sliver is
    const int64_t high = is_low ? slivers_.count() - 1 : slivers_.count();
    for (int64_t panel = panels.first; high > 0 && panel < panels.last(); ++panel) {
      multiply_high(panels, panel, high);
    }
    if (is_low) {
      multiply_low(panels);
    }
  }

 private:
  /// The first `count` slivers × one panel.
  void multiply_high(const Panels& panels, int64_t panel, int64_t count) const {
    const TileKernel& kernel = at_.kernel;
    const Finish how = finish_of(product_, at_, panel);
    float* column = product_.out.as<float>() + panel * kernel.columns * how.out_column;
    alignas(alignment) std::array<float, widest_tile * widest_tile> sums;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t rows = slivers_.rows(i);
      const SizedTile& tile = slivers_.tile(i);
      float* out = column + slivers_.row(i) * how.out_row;
      Tile run{slivers_.data(i), panels.at(panel), at_.padded, rows, out, how.out_row};
      run.ahead = panel + 1 < at_.panels ? at_.part_of(panel + 1, i) : nullptr;
      if (how.is_nothing() && rows == tile.rows) {
        tile.run(run);
        continue;
      }
      run.out = sums.data();
      run.out_row = kernel.columns;
      tile.run(run);
      finish(how, {sums.data(), rows, slivers_.scales(i), out});
    }
  }

  /// The last sliver × all panels side by side.
  void multiply_low(const Panels& panels) const {
    const int64_t columns = at_.kernel.columns;
    const int64_t i = slivers_.count() - 1;
    const SizedTile& tile = slivers_.tile(i);
    alignas(alignment) std::array<float, widest_tile * widest_tile> sums;
    Tile run{slivers_.data(i), panels.data, at_.padded, slivers_.rows(i), sums.data(), columns};
    run.b_panel = panels.bytes;
    run.out_panel = tile.rows * columns;
    run.ahead = panels.last() < at_.panels ? at_.part_of(panels.last(), i) : nullptr;
    tile.run(run, panels.count);
    for (int64_t panel = panels.first; panel < panels.last(); ++panel) {
      const Finish how = finish_of(product_, at_, panel);
      float* out = product_.out.as<float>() + slivers_.row(i) * how.out_row +
                   panel * columns * how.out_column;
      finish(how, {sums.data() + (panel - panels.first) * run.out_panel, run.rows,
                   slivers_.scales(i), out});
    }
  }

  const PackedProduct& product_;
  const Layout& at_;
  const Slivers& slivers_;
  const int64_t together_;
};

Layout layout_of(const PackedProduct& product) {
  const auto& header = *static_cast<const Header*>(product.packed.data);
  require(header.signature == Header::mark, "multiply_packed: saw memory that pack did not fill");
  Layout at(*tile_kernels()[static_cast<size_t>(header.kernel)], header.n, header.k,
            product.packed.data);
  require(product.x.shape[1] == at.k && product.out.shape[1] == at.n &&
              product.x.shape[0] == product.out.shape[0],
          "multiply_packed: saw x {} and out {}, needs [M, {}] and [M, {}]",
          to_string(product.x.shape), to_string(product.out.shape), at.k, at.n);
  return at;
}

}  // namespace

void pack_for(const TileKernel& kernel, const PackStep& step) {
  const Layout at(kernel, step.weight.shape[0], step.weight.shape[1], step.packed.data);
  require(!kernel.sums_whole_numbers() || at.k < 1 << 17,
          "pack: saw rows of {} in int8, needs fewer than {}; choose bf16", at.k, 1 << 17);
  if (step.bytes != nullptr) {
    *step.bytes = static_cast<size_t>(at.bytes());
  }
  if (step.packed.data == nullptr) {
    return;
  }
  require(step.packed.numel() >= at.bytes(), "pack: saw room for {} bytes, needs {}",
          step.packed.numel(), at.bytes());
  at.header() = Header{Header::mark, place_of(kernel), at.n, at.k};
  const Matrix weight = matrix_of(step.weight);
  each_range(at.panels, units_per_chunk(kernel.columns * at.k), [&](int64_t i, int64_t last) {
    for (; i < last; ++i) {
      pack_panel(at, weight, i);
    }
  });
}

void pack(const PackStep& step) { pack_for(tile_kernel(step.precision), step); }

void multiply_packed(const PackedProduct& product) {
  const Layout at = layout_of(product);
  const int64_t m = product.out.shape[0];
  const int64_t row_bytes = at.padded * bytes_of(at.kernel.rows);
  const int64_t high =
      std::max<int64_t>(2, bytes_at_a_time / row_bytes / widest_tile) * widest_tile;
  for (int64_t begin = 0; begin < m; begin += high) {
    const int64_t rows = std::min(high, m - begin);
    const Slivers slivers(at, matrix_of(product.x), begin, begin + rows);
    const PanelProduct part(product, at, slivers);
    const int64_t groups = pieces_of(at.panels, part.together());
    const int64_t in_each = at.panels / groups;
    const int64_t larger = at.panels % groups;  // groups with one panel more
    const int64_t work = std::max<int64_t>(1, rows * at.padded * at.kernel.columns);
    const int64_t some = std::min(work_a_chunk / work, bytes_a_chunk / at.panel_bytes);
    each_range(groups, std::max<int64_t>(1, some / part.together()), [&](int64_t i, int64_t last) {
      const InTiles in_tiles(at.kernel);
      for (; i < last; ++i) {
        const int64_t first = i * in_each + std::min(i, larger);
        part.multiply(panels_of(at, first, i < larger ? in_each + 1 : in_each));
      }
    });
  }
}

void multiply_each_packed(const PackedProducts& call) {
  for (const PackedProduct& product : call.products) {
    multiply_packed(product);
  }
}

}  // namespace heed::cpu
