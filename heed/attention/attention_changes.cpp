#include "heed/attention/attention_changes.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "heed/nn/pass.h"
#include "heed/ops/permute.h"
#include "heed/ops/reshape.h"

namespace heed {
namespace {

/// Numbers [N, H, n] as a grid [M, G, P, R, n].
Tensor on_grid(const std::vector<float>& numbers, int64_t columns, const Geometry& geometry,
               const Shape& scores, const Place& place) {
  const int64_t heads = scores[1] * scores[2];
  const auto rows = static_cast<int64_t>(numbers.size()) / (heads * columns);
  const Tensor grid = geometry.to_grid(Tensor::of(numbers, {rows, heads, columns}, place));
  return permute(reshape(grid, {scores[0], scores[3], scores[1], scores[2], columns}),
                 {0, 2, 3, 1, 4});
}

}  // namespace

AttentionChanges::AttentionChanges(Pass& pass, std::vector<AttentionChange> all)
    : pass_(pass), before_(pass.exchange_changes(this)), all_(std::move(all)) {}
AttentionChanges::~AttentionChanges() { pass_.exchange_changes(before_); }

std::vector<AttentionChange> AttentionChanges::next(bool is_within) {
  const int64_t block = called_[is_within ? 1 : 0]++;
  std::vector<AttentionChange> own;
  std::copy_if(all_.begin(), all_.end(), std::back_inserter(own), [&](const AttentionChange& one) {
    return one.is_within == is_within && one.block == block;
  });
  return own;
}

ChangedGrid::ChangedGrid(std::span<const AttentionChange> changes, const Geometry& geometry,
                         const Shape& scores, const Place& place) {
  const int64_t heads = scores[1] * scores[2];
  const int64_t slots = scores[4];
  const int64_t rows = geometry.rows();
  std::vector<float> is_closed(static_cast<size_t>(rows * heads * slots));
  std::vector<float> weights(is_closed.size());
  std::vector<float> has_weights(static_cast<size_t>(rows * heads));
  std::vector<float> is_touched(has_weights.size());
  for (const AttentionChange& one : changes) {
    for (int64_t head = 0; one.row >= 0 && one.row < rows && head < heads; ++head) {
      if (one.head >= 0 && one.head != head) {
        continue;
      }
      const auto at = static_cast<size_t>(one.row * heads + head);
      const size_t first = at * static_cast<size_t>(slots);
      is_touched[at] = 1;
      for (const int32_t slot : one.closed) {
        if (slot >= 0 && slot < slots) {
          is_closed[first + static_cast<size_t>(slot)] = 1;
        }
      }
      has_weights[at] = one.given.empty() ? has_weights[at] : 1;
      const size_t count = std::min(one.given.size(), static_cast<size_t>(slots));
      std::copy_n(one.given.begin(), count, weights.begin() + static_cast<std::ptrdiff_t>(first));
    }
  }
  closed = on_grid(is_closed, slots, geometry, scores, place);
  given = on_grid(weights, slots, geometry, scores, place);
  is_given = on_grid(has_weights, 1, geometry, scores, place);
  touched = on_grid(is_touched, 1, geometry, scores, place);
}

}  // namespace heed
