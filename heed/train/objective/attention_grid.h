// Shared by objectives on attention: the weights of a batch as a grid, and the positions of its
// cells.
#pragma once

#include "heed/train/objective.h"

namespace heed {

struct AttentionGrid {
  Tensor weights;         // α [B, T, S], the mean over heads and blocks; padding is zero
  Tensor target_lengths;  // i32 [B]
  Tensor memory_lengths;  // i32 [B]

  /// i / T_b for each output position, [1 or B, T, 1], and j / S_b for each slot, [B, 1, S].
  Tensor target_share() const;
  Tensor memory_share() const;
  /// [B, T] and [B, S]: 1 where the sentence has that position, else 0.
  Tensor has_target() const;
  Tensor has_slot() const;
};

AttentionGrid attention_grid(const TaughtBatch& taught);

}  // namespace heed
