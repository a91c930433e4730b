#include "heed/search/next.h"

#include <algorithm>

#include "heed/ops/topk.h"

namespace heed {

Next::Next(const Tensor& log_probability, const Wanted& wanted)
    : k_(std::min(wanted.best, log_probability.size(1))), words_(log_probability.size(1)) {
  if (k_ > 0) {
    const TopK best = topk(log_probability, k_);
    log_probability_ = best.values.values<double>();
    id_ = best.indices.values<int32_t>();
  }
  if (wanted.is_all) {
    all_ = log_probability.values<float>();
  }
}

}  // namespace heed
