// The forward pass of one piece: some rows of one head against all slots they see.
//
// Rows go in blocks. A block's scores, over the slots any of its rows sees, lie in this thread's
// scratch; weights are made of them row by row, each over its own range, so that nothing tests a
// slot; products run over strips of eight rows, clipped to what the strip sees. So what is closed
// is skipped (empty), what is open is never tested (full), and a ragged edge (partial) costs at
// most the strip's corner.
#pragma once

#include "heed/backend/cpu/attend/values.h"

namespace heed::cpu {

/// A policy by tiles gets each of a block's; one that cuts blocks itself gets the block.
template <class Policy>
void scores_of(const Policy& policy, const RowBlock& block, TileRows e) {
  if constexpr (requires { policy.scores(block, e); }) {
    policy.scores(block, e);
  } else {
    block.each_tile([&](const Block& b) { policy.scores(b, block.at(e, b)); });
  }
}

/// Of the score and of the values, for one head: by f32, unless a policy names others.
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

 private:
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

  /// What strips add to, dense; a context's rows lie far apart.
  static TileRows mixing_rows(const RowBlock& block, int64_t width) {
    float* first = scratch(Scratch::contexts, block.rows() * width);
    return {first - block.row() * width, width};
  }

  const AttendStep& step_;
  Setup setup_;
  int64_t slots_;
};

}  // namespace heed::cpu
