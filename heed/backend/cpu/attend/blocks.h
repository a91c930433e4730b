// A block of rows of one head, cut into strips by what they see.
#pragma once

#include <span>

#include "heed/backend/cpu/attend/packed.h"
#include "heed/backend/cpu/attend/temper.h"
#include "heed/backend/cpu/attend/weights.h"

namespace heed::cpu {

inline constexpr int64_t most_rows_a_block = 64;
inline constexpr int64_t rows_a_strip = 8;

/// Fewer rows where they are long, because a block's scores should stay in the second-level cache.
inline int64_t rows_a_block(int64_t slots) {
  constexpr int64_t floats = 1 << 16;
  const int64_t fitting = floats / std::max<int64_t>(1, slots) / rows_a_strip * rows_a_strip;
  return std::clamp(fitting, rows_a_strip, most_rows_a_block);
}

/// Whether a step reports α itself, untempered.
inline bool leaves_weights(const AttendStep& step) {
  return step.report.weights.data != nullptr && step.where.centre.data == nullptr;
}

/// Neighbouring rows that are multiplied together.
struct Strip {
  int64_t row;  // of the block
  int64_t rows;
  SlotRange range;
};

/// How blocks are cut where products go by tiles of a fixed size.
struct BlockCut {
  int64_t strip = rows_a_strip;  // rows of a strip, at least rows_a_strip
  int64_t margin = 0;            // extra floats on either side of a matrix's columns
  int64_t rows_below = 0;        // extra rows of a matrix
  int64_t step = 1;              // windows of slots are a multiple of this
};

class RowBlock {
 public:
  /// Rows [row, row + rows) as far as they see slots of `window`.
  struct Part {
    HeadOf at;
    int64_t row;
    int64_t rows;
    SlotRange window;
    BlockCut cut = {};
  };
  RowBlock(const AttendStep& step, const Part& part);

  const HeadOf& head() const { return at_; }
  int64_t row() const { return first_row_; }
  int64_t rows() const { return rows_; }

  /// Scratch memory [rows, slots that any row sees]; column 0 is the first such slot.
  TileRows matrix(Scratch use) const {
    return {scratch(use, (rows_ + cut_.rows_below) * stride_) + cut_.margin, stride_};
  }
  /// The part of such a matrix that belongs to b.
  TileRows at(TileRows matrix, const Block& b) const {
    return {matrix[b.row - first_row_] + (b.slot - all_.begin), matrix.stride};
  }
  WeightRows weights(TileRows e, double scale);

  /// Whether all rows see the same slots.
  bool is_uniform() const { return strips_ == 1 && common_ == all_; }
  const SlotRange& all() const { return all_; }
  std::span<const Strip> strips() const { return {strip_.data(), static_cast<size_t>(strips_)}; }

  /// Calls run(b) for every tile that some row sees: with all rows if all see all of it, else strip
  /// by strip.
  template <class Run>
  void each_tile(const Run& run) const {
    for (int64_t slot = all_.begin; slot < all_.end; slot += slots_a_block) {
      const int64_t end = std::min(all_.end, slot + slots_a_block);
      if (common_.begin <= slot && end <= common_.end) {
        run(Block{first_row_, rows_, slot, end - slot});
        continue;
      }
      for (int64_t s = 0; s < strips_; ++s) {
        const SlotRange seen = strip_[s].range.clipped(slot, end);
        if (!seen.empty()) {
          run(Block{first_row_ + strip_[s].row, strip_[s].rows, seen.begin, seen.end - seen.begin});
        }
      }
    }
  }

  void save_state() const;
  void load_state();
  /// u ← u g
  void temper(TileRows u) const;
  void report(TileRows u) const;
  /// u ← u keep
  void drop(TileRows u) const;
  /// context ← f mixed (which may be the same memory); zeros where a row sees nothing.
  void hand_out(TileRows mixed, TileRows context, int64_t width) const;
  bool is_tempered() const { return step_.where.centre.data != nullptr; }
  bool drops() const { return step_.dropout.rate > 0; }

  /// Input: dused and α. Output: de with respect to the raw scores, and the used weights.
  struct Gradients {
    const AttendGradient& to;
    TileRows weights;
    TileRows gradient;
    double scale;
    const float* means;  // Σ α dα of each row if it is known beforehand, or null
  };
  void gradients(const Gradients& s);
  /// Whether the forward pass kept α itself; then `recall` loads it instead of scores.
  bool has_weights() const { return leaves_weights(step_); }
  void recall(TileRows weights) const;

 private:
  const float* grid_row(const View& grid, int64_t i) const;
  Gaussian gaussian(int64_t i) const;
  int64_t open(int64_t i) const { return row_[i].end - row_[i].begin; }
  int64_t first_slot(int64_t i) const { return all_.begin + row_[i].begin; }
  /// The number of an element of the grid [M, G, P, R, S].
  uint64_t element(int64_t i, int64_t slot) const;
  /// dused → dα, including the gradient of the reported weights.
  void before_normaliser(const Gradients& s);
  /// α → used, de → dbias, de → with respect to the raw scores.
  void after_normaliser(const Gradients& s);

  const AttendStep& step_;
  HeadOf at_;
  int64_t first_row_;
  int64_t rows_;
  BlockCut cut_;
  SlotRange all_{0, 0};
  SlotRange common_{0, 0};  // the slots that every row sees
  int64_t stride_;
  int64_t strips_ = 0;
  std::array<Strip, most_rows_a_block / rows_a_strip> strip_;
  std::array<WeightRow, most_rows_a_block> row_;
};

}  // namespace heed::cpu
