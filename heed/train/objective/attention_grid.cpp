#include "heed/train/objective/attention_grid.h"

#include "heed/ops/arithmetic.h"
#include "heed/ops/cast.h"
#include "heed/ops/grid.h"
#include "heed/ops/lengths.h"
#include "heed/ops/reduce.h"
#include "heed/ops/reshape.h"

namespace heed {
namespace {

/// The mean over heads and blocks, [N, S].
Tensor mean_weights(const Decoded& decoded) {
  Tensor total;
  for (const Attended& report : decoded.reports) {
    const Tensor heads = mean(report.weights, {1});
    total = total.defined() ? total + heads : heads;
  }
  const auto blocks = static_cast<double>(decoded.reports.size());
  return blocks == 1 ? total : total / blocks;
}

/// p / length for each position p < width, [B, width].
Tensor share(const Tensor& lengths, int64_t width, const Place& place) {
  return unsqueeze(positions(width, place), 0) / unsqueeze(cast(lengths, place.dtype), 1);
}

}  // namespace

Tensor AttentionGrid::target_share() const {
  return unsqueeze(share(target_lengths, weights.size(1), weights.place()), 2);
}

Tensor AttentionGrid::memory_share() const {
  return unsqueeze(share(memory_lengths, weights.size(2), weights.place()), 1);
}

Tensor AttentionGrid::has_target() const {
  return mask_of_lengths(target_lengths, weights.size(1), weights.dtype());
}

Tensor AttentionGrid::has_slot() const {
  return mask_of_lengths(memory_lengths, weights.size(2), weights.dtype());
}

AttentionGrid attention_grid(const TaughtBatch& taught) {
  const Tensor weights = to_grid(mean_weights(taught.decoded), taught.batch.target);
  const std::vector<int32_t>& slots = taught.decoded.memory_lengths;
  const auto count = static_cast<int64_t>(slots.size());
  return {weights, taught.batch.target.length_tensor(),
          Tensor::of(slots, {count}, weights.place().with(DType::i32))};
}

}  // namespace heed
