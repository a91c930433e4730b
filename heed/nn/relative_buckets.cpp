#include "heed/nn/relative_buckets.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace heed {

void RelativeBuckets::check() const {
  const int64_t one_way = is_causal ? count : count / 2;
  require(one_way >= 2 && (is_causal || count % 2 == 0),
          "relative buckets: saw {} buckets, needs at least {}", count,
          is_causal ? "2" : "4 and an even number");
  require(reach > one_way / 2, "relative buckets: saw reach {}, needs more than the {} exact ones",
          reach, one_way / 2);
}

int32_t RelativeBuckets::bucket(int64_t offset) const {
  const int64_t one_way = is_causal ? count : count / 2;
  const int64_t exact = one_way / 2;
  const int64_t first = !is_causal && offset > 0 ? one_way : 0;
  const int64_t distance = is_causal ? std::max<int64_t>(-offset, 0) : std::abs(offset);
  if (distance < exact) {
    return static_cast<int32_t>(first + distance);
  }
  const float octaves = std::log(static_cast<float>(distance) / static_cast<float>(exact));
  const auto whole =
      static_cast<float>(std::log(static_cast<double>(reach) / static_cast<double>(exact)));
  const auto beyond = static_cast<int64_t>(octaves / whole * static_cast<float>(one_way - exact));
  return static_cast<int32_t>(first + std::min(exact + beyond, one_way - 1));
}

Tensor RelativeBuckets::index(std::span<const int32_t> query_positions, int64_t slots,
                              const Place& place) const {
  check();
  std::vector<int32_t> buckets;
  buckets.reserve(query_positions.size() * static_cast<size_t>(slots));
  for (const int32_t i : query_positions) {
    for (int64_t j = 0; j < slots; ++j) {
      buckets.push_back(bucket(j - i));
    }
  }
  return Tensor::of(buckets, {static_cast<int64_t>(query_positions.size()), slots},
                    place.with(DType::i32));
}

}  // namespace heed
