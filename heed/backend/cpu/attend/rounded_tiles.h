// Dot scores and products with values, with operands rounded to bf16 and sums in f32; weights and
// their gradients stay f32. Panels are packed once for the rows of a piece, from its first slot on.
// Weights and their gradients are packed block by block.
#pragma once

#include <numeric>

#include "heed/backend/cpu/attend/forward.h"
#include "heed/backend/cpu/attend/rounded.h"

namespace heed::cpu {

inline Matrix matrix_of(TileRows rows) { return {rows.data, rows.stride, 1}; }

/// Shared by the products of scores and of values: rows of a block × slots of a piece.
class RoundedPairs {
 public:
  explicit RoundedPairs(const TileKernel& kernel) : tiles_(kernel) {}

  const RoundedTiles& tiles() const { return tiles_; }
  void begin(int64_t slot) { origin_ = slot; }

  /// to[row, slot] ← a bᵀ for the slots that each strip sees, and some columns next to them.
  void multiply(const RowBlock& block, const Rounded& rows, const Rounded& by_slot,
                TileRows to) const {
    const int64_t wide = tiles_.kernel().columns;
    for (const Strip& strip : block.strips()) {
      if (strip.range.empty()) {
        continue;
      }
      const int64_t panel = (strip.range.begin - origin_) / wide;
      const int64_t last = (strip.range.end - origin_ + wide - 1) / wide;
      const int64_t sliver = strip.row / rows.height;
      const int64_t slivers = (strip.rows + rows.height - 1) / rows.height;
      const int64_t column = origin_ + panel * wide - block.all().begin;
      tiles_.multiply_whole({rows, by_slot, sliver, slivers, panel, last - panel},
                            {to[strip.row] + column, to.stride});
    }
  }

  /// to[row] ← (to[row] +) Σ_slot u[row, slot] b[slot], strip by strip.
  void multiply_rows(const RowBlock& block, TileRows u, const Rounded& by_channel, TileRows to,
                     bool adds) const {
    const int64_t step = tiles_.kernel().k_step;
    for (const Strip& strip : block.strips()) {
      if (strip.range.empty()) {
        continue;
      }
      const int64_t from = (strip.range.begin - origin_) / step * step;
      const int64_t until = (strip.range.end - origin_ + step - 1) / step * step;
      const int64_t first = origin_ + from - block.all().begin;  // a column of u
      const TileRows rows = u.from(strip.row);
      clear(rows, strip.rows, first, strip.range.begin - block.all().begin);
      clear(rows, strip.rows, strip.range.end - block.all().begin, first + until - from);
      const Rounded slivers = tiles_.slivers({rows.data + first, rows.stride, 1}, strip.rows,
                                             until - from, Scratch::slivers);
      tiles_.multiply({slivers, by_channel, to.from(block.row() + strip.row), adds, from});
    }
  }

  /// to[slot] += Σ_row u[row, slot] b[row], all rows at once.
  void add_columns(const RowBlock& block, TileRows u, const Rounded& by_channel,
                   TileRows to) const {
    const int64_t seen = block.all().end - block.all().begin;
    if (seen == 0) {
      return;
    }
    for (const Strip& strip : block.strips()) {
      const TileRows rows = u.from(strip.row);
      const bool sees = !strip.range.empty();
      clear(rows, strip.rows, 0, sees ? strip.range.begin - block.all().begin : seen);
      clear(rows, strip.rows, sees ? strip.range.end - block.all().begin : seen, seen);
    }
    const Rounded slivers =
        tiles_.slivers(matrix_of(u).flipped(), seen, block.rows(), Scratch::slivers);
    tiles_.multiply({slivers, by_channel, to.from(block.all().begin), true});
  }

 private:
  static void clear(TileRows rows, int64_t count, int64_t begin, int64_t end) {
    for (int64_t r = 0; r < count && begin < end; ++r) {
      std::fill(rows[r] + begin, rows[r] + end, 0.0F);
    }
  }

  RoundedTiles tiles_;
  int64_t origin_ = 0;  // the first slot of the panels
};

/// e = q kᵀ, without the scale, which the weights apply:  dQ = dS K,  dK = dSᵀ Q
class RoundedDotTiles {
 public:
  RoundedDotTiles(const AttendScore& score, const HeadOf& at, const TileKernel& kernel)
      : pairs_(kernel),
        width_(score.keys.shape[3]),
        scale_(std::get<DotPairs>(score.kind).scale),
        query_(head_rows(score.query, at)),
        keys_(group_rows(score.keys, at)) {}

  double scale() const { return scale_; }

  void prepare(const Block& all) {
    pairs_.begin(all.slot);
    by_slot_ = pairs_.tiles().panels(matrix_of(keys_.from(all.slot)), all.slots, width_,
                                     Scratch::keys_transposed);
  }
  /// `with_scores`: scores will be computed again.
  void prepare_gradients(const Block& all, bool with_scores) {
    pairs_.begin(all.slot);
    if (with_scores) {
      prepare(all);
    }
    by_channel_ = pairs_.tiles().panels(matrix_of(keys_.from(all.slot)).flipped(), width_,
                                        all.slots, Scratch::keys);
  }
  /// For the backward pass, in which blocks of the same rows follow one another.
  void begin_rows(int64_t row, int64_t rows) {
    queries_ = slivers_of(row, rows);
    queries_by_channel_ = pairs_.tiles().panels(matrix_of(query_.from(row)).flipped(), width_, rows,
                                                Scratch::query_panels);
  }

  void scores(const RowBlock& block, TileRows e) const {
    if (!block.all().empty()) {
      const bool is_ready = queries_.data != nullptr;
      pairs_.multiply(block, is_ready ? queries_ : slivers_of(block.row(), block.rows()), by_slot_,
                      e);
    }
  }
  void gradients(const RowBlock& block, TileRows de, const HeadGradients& to) const {
    if (to.dquery) {
      pairs_.multiply_rows(block, de, by_channel_, to.dquery, true);
    }
    if (to.dkeys) {
      pairs_.add_columns(block, de, queries_by_channel_, to.dkeys);
    }
  }

 private:
  Rounded slivers_of(int64_t row, int64_t rows) const {
    return pairs_.tiles().slivers(matrix_of(query_.from(row)), rows, width_, Scratch::query);
  }

  RoundedPairs pairs_;
  int64_t width_;
  double scale_;
  TileRows query_;
  TileRows keys_;
  Rounded by_slot_;
  Rounded by_channel_;
  Rounded queries_;
  Rounded queries_by_channel_;
};

/// C = U V,  dU = dC Vᵀ,  dV = Uᵀ dC
class RoundedValueTiles {
 public:
  RoundedValueTiles(const View& values, const HeadOf& at, const TileKernel& kernel)
      : pairs_(kernel), width_(values.shape[3]), values_(group_rows(values, at)) {}

  void prepare(const Block& all) {
    pairs_.begin(all.slot);
    by_channel_ = pairs_.tiles().panels(matrix_of(values_.from(all.slot)).flipped(), width_,
                                        all.slots, Scratch::values);
  }
  void prepare_gradients(const Block& all, TileRows dcontext) {
    pairs_.begin(all.slot);
    dcontext_ = dcontext;
    by_slot_ = pairs_.tiles().panels(matrix_of(values_.from(all.slot)), all.slots, width_,
                                     Scratch::values_transposed);
  }
  void begin_rows(int64_t row, int64_t rows) {
    const Matrix some = matrix_of(dcontext_.from(row));
    dcontexts_ = pairs_.tiles().slivers(some, rows, width_, Scratch::dcontext);
    dcontexts_by_channel_ =
        pairs_.tiles().panels(some.flipped(), width_, rows, Scratch::dcontext_panels);
  }

  /// Rows that see nothing are not written.
  void contexts(const RowBlock& block, TileRows u, TileRows context) const {
    pairs_.multiply_rows(block, u, by_channel_, context, false);
  }
  void dweights(const RowBlock& block, TileRows du) const {
    pairs_.multiply(block, dcontexts_, by_slot_, du);
  }
  void dvalues(const RowBlock& block, TileRows u, TileRows to) const {
    if (to) {
      pairs_.add_columns(block, u, dcontexts_by_channel_, to);
    }
  }

 private:
  RoundedPairs pairs_;
  int64_t width_;
  TileRows values_;
  TileRows dcontext_;
  Rounded by_slot_;
  Rounded by_channel_;
  Rounded dcontexts_;
  Rounded dcontexts_by_channel_;
};

template <>
struct TilesOf<RoundedDotTiles> {
  using Values = RoundedValueTiles;
  struct Setup {
    const TileKernel* kernel = nullptr;
  };
  static RoundedDotTiles scores(const AttendStep& step, const HeadOf& at, Setup setup) {
    return {step.score, at, *setup.kernel};
  }
  static RoundedValueTiles values(const AttendStep& step, const HeadOf& at, Setup setup) {
    return {step.values, at, *setup.kernel};
  }
  /// Strips are whole slivers; columns of a panel or a step of k may reach beyond the visible
  /// slots.
  static BlockCut cut(Setup setup) {
    const TileKernel& kernel = *setup.kernel;
    constexpr int64_t widest = 32;
    const int64_t high = kernel.most_rows();
    return {.strip = (rows_a_strip + high - 1) / high * high,
            .margin = widest,
            .rows_below = high,
            .step = std::lcm(kernel.columns, kernel.k_step)};
  }
};

}  // namespace heed::cpu
