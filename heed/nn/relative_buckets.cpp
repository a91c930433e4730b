#include "heed/nn/relative_buckets.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/ops/arithmetic.h"
#include "heed/ops/cast.h"
#include "heed/ops/gather.h"
#include "heed/ops/lengths.h"
#include "heed/ops/reshape.h"

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

Tensor relative_bucket_table(const RelativeBuckets& how, const Place& place) {
  require(how.buckets >= (how.is_bidirectional ? 4 : 2),
          "relative buckets: saw {} of them, needs at least 2 each way", how.buckets);
  const int64_t most = std::max(how.distance, how.buckets);  // exact buckets may reach farther
  std::vector<int32_t> buckets;
  for (int64_t offset = -most; offset <= most; ++offset) {
    buckets.push_back(relative_bucket(offset, how));
  }
  return Tensor::of(buckets, {2 * most + 1, 1}, place.with(DType::i32));
}

Tensor relative_bucket_index(const Tensor& table, const Tensor& position, int64_t slots) {
  const int64_t farthest = table.size(0) / 2;
  const auto most = static_cast<double>(farthest);
  const Tensor offset = positions(slots, position.place()) - position;
  const Tensor row = cast(minimum(maximum(offset, -most), most) + most, DType::i32);
  const Tensor bucket = gather_rows(table, reshape(row, {row.numel()}));
  return reshape(bucket, {row.numel()});
}

}  // namespace heed
