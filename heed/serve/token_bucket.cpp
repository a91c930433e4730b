#include "heed/serve/token_bucket.h"

#include <algorithm>

namespace heed {

double TokenBuckets::take(const std::string& client, Time now) {
  if (rate_ == 0) {
    return 0;
  }
  forget_full(now);
  Bucket& bucket = buckets_.try_emplace(client, Bucket{size_, now}).first->second;
  const std::chrono::duration<double> passed = now - bucket.at;
  bucket.tokens = std::min(size_, bucket.tokens + std::max(0.0, passed.count()) * rate_);
  bucket.at = now;
  if (bucket.tokens < 1) {
    return (1 - bucket.tokens) / rate_;
  }
  bucket.tokens -= 1;
  return 0;
}

/// Whenever the clients have doubled in number, so that each costs the same on the average.
void TokenBuckets::forget_full(Time now) {
  if (buckets_.size() < looked_at_) {
    return;
  }
  std::erase_if(buckets_, [&](const auto& one) {
    const std::chrono::duration<double> passed = now - one.second.at;
    return one.second.tokens + passed.count() * rate_ >= size_;
  });
  looked_at_ = std::max<std::size_t>(1024, 2 * buckets_.size());
}

}  // namespace heed
