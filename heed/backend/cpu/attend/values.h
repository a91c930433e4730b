// The products of one head's rows with its values, f32:  C = U V,  dU = dC Vᵀ,  dV = Uᵀ dC.
#pragma once

#include "heed/backend/cpu/attend/blocks.h"
#include "heed/backend/cpu/attend/heads.h"
#include "heed/backend/cpu/attend/packed.h"

namespace heed::cpu {

class ValueTiles {
 public:
  ValueTiles(const View& values, const HeadOf& at)
      : width_(values.shape[3]), rows_(group_rows(values, at)), slots_(rows_, width_) {}

  void prepare(const Block& all) {
    if (all.rows > few_query_rows) {
      rows_ = dense_rows(rows_, all.slot, all.slots, width_, Scratch::values);
    }
  }
  void prepare_gradients(const Block& all, TileRows dcontext) {
    dcontext_ = dcontext;
    if (all.rows > few_query_rows) {
      slots_.pack(all.slot, all.slots, Scratch::values_transposed);
      dcontext_ = dense_rows(dcontext, all.row, all.rows, width_, Scratch::dcontext);
    }
  }
  TileRows dcontext() const { return dcontext_; }

  /// Rows that see nothing are not written.
  void contexts(const RowBlock& block, TileRows u, TileRows context) const {
    const bool is_uniform = block.is_uniform();
    for (int64_t r = block.row(); !is_uniform && r < block.row() + block.rows(); ++r) {
      std::fill_n(context[r], width_, 0.0F);
    }
    block.each_tile([&](const Block& b) {
      multiply_rows({b.rows, width_, b.slots, block.at(u, b), rows_.from(b.slot),
                     context.from(b.row), !is_uniform || b.slot > block.all().begin});
    });
  }
  void dweights(const RowBlock& block, TileRows du) const {
    block.each_tile([&](const Block& b) {
      slots_.multiply(dcontext_.from(b.row), b.rows, b.slot, b.slots, block.at(du, b));
    });
  }
  /// Adds to dV if it is wanted.
  void dvalues(const RowBlock& block, TileRows u, TileRows to) const {
    if (!to) {
      return;
    }
    block.each_tile([&](const Block& b) {
      multiply_columns(
          {b.slots, width_, b.rows, block.at(u, b), dcontext_.from(b.row), to.from(b.slot), true});
    });
  }

 private:
  int64_t width_;
  TileRows rows_;
  SlotRows slots_;
  TileRows dcontext_;
};

}  // namespace heed::cpu
