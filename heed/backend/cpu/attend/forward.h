// The forward pass of one piece: some rows of one head against all slots they see.
//
// Rows go in blocks. A block's scores, over the slots any of its rows sees, lie in this thread's
// scratch; weights are made of them row by row, each over its own range, so that nothing tests a
// slot; products run over strips of eight rows, clipped to what the strip sees. So what is closed
// is skipped (empty), what is open is never tested (full), and a ragged edge (partial) costs at
// most the strip's corner.
#pragma once

#include "heed/backend/cpu/attend/blocks.h"

namespace heed::cpu {

template <class Policy>
class Forward {
 public:
  explicit Forward(const AttendStep& step) : step_(step), slots_(step.values.shape[2]) {}

  /// Asks for the operands of a head that comes next, while the one before it is worked on.
  void fetch_ahead(const HeadOf& at) const {
    fetch_rows(head_rows(step_.score.query, at), step_.score.query.shape[3],
               step_.score.query.shape[4]);
    fetch_rows(group_rows(step_.score.keys, at), slots_, step_.score.query.shape[4]);
    fetch_rows(group_rows(step_.values, at), slots_, width());
  }

  void piece(const HeadOf& at, int64_t row, int64_t rows) const {
    Policy policy(step_.score, at);
    if (rows <= rows_a_block(slots_)) {
      RowBlock block(step_, {at, row, rows, {0, slots_}});
      run(policy, block, prepared(policy, block.all(), {at, row, rows, {0, 0}}));
      return;
    }
    const SlotRange all = RowRanges(step_.where, at, slots_).joined(row, rows);
    const TileRows values = prepared(policy, all, {at, row, rows, {0, 0}});
    const int64_t height = rows_a_block(all.end - all.begin);
    for (int64_t done = 0; done < rows; done += height) {
      RowBlock block(step_, {at, row + done, std::min(height, rows - done), {0, slots_}});
      run(policy, block, values);
    }
  }

 private:
  int64_t width() const { return step_.values.shape[3]; }

  /// Gets the policy ready for these slots; the values as the products want them.
  TileRows prepared(Policy& policy, const SlotRange& all, const RowBlock::Part& part) const {
    const TileRows values = group_rows(step_.values, part.at);
    const int64_t seen = all.end - all.begin;
    if (seen == 0) {
      return values;
    }
    policy.prepare({part.row, part.rows, all.begin, seen});
    return part.rows > few_query_rows
               ? dense_rows(values, all.begin, seen, width(), Scratch::values)
               : values;
  }

  void run(const Policy& policy, RowBlock& block, TileRows values) const {
    const TileRows e = block.matrix(Scratch::scores);
    block.each_tile([&](const Block& b) { policy.scores(b, block.at(e, b)); });
    const WeightRows weights = block.weights(e, policy.scale());
    weigh(weights, step_.normaliser);
    block.save_state();
    block.temper(e);
    block.report(e);
    block.drop(e);
    const TileRows context = head_rows(step_.context, block.head());
    const bool is_uniform = block.is_uniform();
    for (int64_t r = block.row(); !is_uniform && r < block.row() + block.rows(); ++r) {
      std::fill_n(context[r], width(), 0.0F);
    }
    block.each_tile([&](const Block& b) {
      multiply_rows({b.rows, width(), b.slots, block.at(e, b), values.from(b.slot),
                     context.from(b.row), !is_uniform || b.slot > block.all().begin});
    });
    block.scale(context, width());
  }

  const AttendStep& step_;
  int64_t slots_;
};

}  // namespace heed::cpu
