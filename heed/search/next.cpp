#include "heed/search/next.h"

#include <algorithm>

#include "heed/ops/cross_entropy.h"
#include "heed/ops/reshape.h"
#include "heed/ops/slice.h"
#include "heed/ops/topk.h"

namespace heed {

Next::Next(const Tensor& scores, const Wanted& wanted)
    : k_(std::clamp<int64_t>(wanted.best, 1, scores.size(1))), words_(scores.size(1)) {
  const TopK best = topk(scores, k_);
  const Tensor first = squeeze(slice(best.indices, 1, 0, 1), 1).dense();
  const auto loss = cross_entropy(scores, first).values<double>();
  log_probability_ = best.values.values<double>();
  id_ = best.indices.values<int32_t>();
  for (size_t row = 0; row < loss.size(); ++row) {
    const auto begin = log_probability_.begin() + static_cast<std::ptrdiff_t>(row) * k_;
    constant_.push_back(-*begin - loss[row]);
    std::for_each(begin, begin + k_, [this](double& score) { score += constant_.back(); });
  }
  if (wanted.is_all) {
    all_ = scores.values<float>();
  }
}

}  // namespace heed
