// Dot scores as a policy of tiles.h: e_ij = scale · q_iᵀ k_j,  dQ = dS K,  dK = dSᵀ Q, with dS
// already scaled.
#pragma once

#include "heed/backend/cpu/attend/heads.h"
#include "heed/backend/cpu/attend/packed.h"

namespace heed::cpu {

class DotTiles {
 public:
  DotTiles(const AttendScore& score, const HeadOf& at)
      : width_(score.keys.shape[3]),
        scale_(std::get<DotPairs>(score.kind).scale),
        query_(head_rows(score.query, at)),
        rows_(group_rows(score.keys, at)),
        keys_(rows_, width_) {}

  double scale() const { return scale_; }

  void prepare(const Block& all) {
    if (all.rows > few_query_rows) {
      keys_.pack(all.slot, all.slots, Scratch::keys_transposed);
    }
  }
  /// `with_scores`: scores will be computed again.
  void prepare_gradients(const Block& all, bool with_scores) {
    if (with_scores) {
      prepare(all);
    }
    if (all.rows > few_query_rows) {
      rows_ = dense_rows(rows_, all.slot, all.slots, width_, Scratch::keys);
      query_ = dense_rows(query_, all.row, all.rows, width_, Scratch::query);
    }
  }

  void scores(const Block& b, TileRows e) const {
    keys_.multiply(query_.from(b.row), b.rows, b.slot, b.slots, e);
  }

  void gradients(const Block& b, TileRows de, const HeadGradients& to) const {
    if (to.dquery) {
      multiply_rows({b.rows, width_, b.slots, de, rows_.from(b.slot), to.dquery.from(b.row), true});
    }
    if (to.dkeys) {
      multiply_columns(
          {b.slots, width_, b.rows, de, query_.from(b.row), to.dkeys.from(b.slot), true});
    }
  }

 private:
  int64_t width_;
  double scale_;
  TileRows query_;
  TileRows rows_;
  SlotRows keys_;
};

}  // namespace heed::cpu
