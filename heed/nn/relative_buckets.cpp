#include "heed/nn/relative_buckets.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace heed {

int32_t relative_bucket(int64_t offset, const RelativeBuckets& how) {
  const int64_t count = how.is_bidirectional ? how.buckets / 2 : how.buckets;
  const int64_t exact = count / 2;
  const int64_t first = how.is_bidirectional && offset > 0 ? count : 0;
  const int64_t r = how.is_bidirectional ? std::abs(offset) : std::max<int64_t>(-offset, 0);
  if (r < exact) {
    return static_cast<int32_t>(first + r);
  }
  if (how.distance <= exact) {
    return static_cast<int32_t>(first + count - 1);
  }
  const float nearness = std::log(static_cast<float>(r) / static_cast<float>(exact));
  const double range = std::log(static_cast<double>(how.distance) / static_cast<double>(exact));
  const float beyond = nearness / static_cast<float>(range) * static_cast<float>(count - exact);
  const float last = static_cast<float>(count - 1 - exact);
  return static_cast<int32_t>(first + exact + static_cast<int64_t>(std::min(beyond, last)));
}

Tensor relative_bucket_index(std::span<const int32_t> query_positions, int64_t slots,
                             const RelativeBuckets& how, const Place& place) {
  require(how.buckets >= (how.is_bidirectional ? 4 : 2),
          "relative buckets: saw {} of them, needs at least 2 each way", how.buckets);
  std::vector<int32_t> index;
  index.reserve(query_positions.size() * static_cast<size_t>(slots));
  for (const int32_t i : query_positions) {
    for (int64_t j = 0; j < slots; ++j) {
      index.push_back(relative_bucket(j - i, how));
    }
  }
  return Tensor::of(index, {static_cast<int64_t>(query_positions.size()), slots},
                    place.with(DType::i32));
}

}  // namespace heed
