// The forward pass of one piece: some rows of one head with all slots that they see.
//
// Rows are processed in blocks. The scores of a block, for all slots that any of its rows sees, are
// in this thread's scratch memory. Weights are computed row by row over the row's own range, so
// that no slot needs a test. Products run over strips of eight rows, clipped to what the strip
// sees. So closed slots are skipped, open slots are never tested, and a ragged edge costs at most
// the strip's corner.
#pragma once

#include "heed/backend/cpu/attend/values.h"

namespace heed::cpu {

/// A policy of tiles gets each tile of a block; a policy that cuts blocks itself gets the block.
template <class Policy>
void scores_of(const Policy& policy, const RowBlock& block, TileRows e) {
  if constexpr (requires { policy.scores(block, e); }) {
    policy.scores(block, e);
  } else {
    block.each_tile([&](const Block& b) { policy.scores(b, block.at(e, b)); });
  }
}

/// The tiles of the score and of the values for one head: f32, unless a policy names others.
template <class Policy>
struct TilesOf {
  using Values = ValueTiles;
  struct Setup {};
  static Policy scores(const AttendStep& step, const HeadOf& at, Setup /*setup*/) {
    return Policy(step.score, at);
  }
  static ValueTiles values(const AttendStep& step, const HeadOf& at, Setup /*setup*/) {
    return ValueTiles(step.values, at);
  }
  static BlockCut cut(Setup /*setup*/) { return {}; }
};

template <class Policy>
class Forward {
 public:
  using Tiles = TilesOf<Policy>;
  using Setup = typename Tiles::Setup;
  using Values = typename Tiles::Values;

  explicit Forward(const AttendStep& step, Setup setup = {})
      : step_(step), setup_(setup), slots_(step.values.shape[2]) {}

  void piece(const HeadOf& at, int64_t row, int64_t rows) const {
    const int64_t own = own_rows(at, row, rows);
    if (own > 0) {
      blocks(at, row, own);
    }
    if (own < rows) {
      blocks(at, row + own, rows - own);
    }
  }

 private:
  /// The rows before the last that sees a slot. Behind them a batch is padded, and the bits of a sequence
  /// must not depend on that: products of fewer rows are summed in another order. Where there will be a
  /// gradient, which computes all rows again in the same blocks, they count as well.
  int64_t own_rows(const HeadOf& at, int64_t row, int64_t rows) const {
    if (step_.state.data != nullptr) {
      return rows;
    }
    const RowRanges ranges(step_.where, at, slots_);
    if (ranges.distinct(rows) < rows) {
      return rows;
    }
    int64_t own = rows;
    while (own > 0 && ranges[row + own - 1].empty()) {
      --own;
    }
    return own;
  }

  void blocks(const HeadOf& at, int64_t row, int64_t rows) const {
    Policy policy = Tiles::scores(step_, at, setup_);
    Values values = Tiles::values(step_, at, setup_);
    const auto block_at = [&](int64_t first, int64_t count) {
      return RowBlock(step_, {at, first, count, {0, slots_}, Tiles::cut(setup_)});
    };
    const auto prepare = [&](const SlotRange& all) {
      if (!all.empty()) {
        const Block everything{row, rows, all.begin, all.end - all.begin};
        policy.prepare(everything);
        values.prepare(everything);
      }
    };
    if (rows <= rows_a_block(slots_)) {
      RowBlock block = block_at(row, rows);
      prepare(block.all());
      run(policy, values, block);
      return;
    }
    const SlotRange all = RowRanges(step_.where, at, slots_).joined(row, rows);
    prepare(all);
    const int64_t height = rows_a_block(all.end - all.begin);
    for (int64_t done = 0; done < rows; done += height) {
      RowBlock block = block_at(row + done, std::min(height, rows - done));
      run(policy, values, block);
    }
  }

  void run(const Policy& policy, const Values& values, RowBlock& block) const {
    const TileRows e = block.matrix(Scratch::scores);
    scores_of(policy, block, e);
    const WeightRows weights = block.weights(e, policy.scale());
    weigh(weights, step_.normaliser);
    block.save_state();
    block.temper(e);
    block.report(e);
    block.drop(e);
    const int64_t width = step_.values.shape[3];
    const TileRows context = head_rows(step_.context, block.head());
    const TileRows mixed = block.is_uniform() ? context : mixing_rows(block, width);
    values.contexts(block, e, mixed);
    block.hand_out(mixed, context, width);
  }

  /// Dense rows for strips to add to, because a context's rows are far apart.
  static TileRows mixing_rows(const RowBlock& block, int64_t width) {
    float* first = scratch(Scratch::contexts, block.rows() * width);
    return {first - block.row() * width, width};
  }

  const AttendStep& step_;
  Setup setup_;
  int64_t slots_;
};

}  // namespace heed::cpu
