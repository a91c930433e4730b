#include "heed/attention/chosen_weights.h"

#include <algorithm>

#include "heed/ops/arithmetic.h"
#include "heed/ops/reduce.h"
#include "heed/ops/reshape.h"
#include "heed/ops/slice.h"

namespace heed {

Tensor chosen_weights(const std::vector<Attended>& reports, int64_t block, int64_t head) {
  if (reports.empty()) {
    return {};
  }
  const auto count = static_cast<int64_t>(reports.size());
  if (block < -1 || block >= count) {
    fail(Fault::usage, "`block`: there is no block {}; choose 0 to {}, or -1 for the mean of all",
         block, count - 1);
  }
  Tensor total;
  for (int64_t n = block < 0 ? 0 : block; n < (block < 0 ? count : block + 1); ++n) {
    const Tensor& weights = reports[n].weights;
    if (head < -1 || head >= weights.size(1)) {
      fail(Fault::usage, "`head`: there is no head {}; choose 0 to {}, or -1 for the mean of all",
           head, weights.size(1) - 1);
    }
    const Tensor one = head < 0 ? mean(weights, {1}) : squeeze(slice(weights, 1, head, 1), 1);
    total = total.defined() ? total + one : one;
  }
  return block < 0 ? affine(total, 1 / static_cast<double>(count)) : total;
}

bool has_weights(const std::vector<Attended>& reports, int64_t block, int64_t head) {
  const auto count = static_cast<int64_t>(reports.size());
  if (count == 0 || block < -1 || block >= count || head < -1) {
    return false;
  }
  const auto has_head = [head](const Attended& one) {
    return one.weights.defined() && head < one.weights.size(1);
  };
  return block < 0 ? std::all_of(reports.begin(), reports.end(), has_head)
                   : has_head(reports[static_cast<size_t>(block)]);
}

}  // namespace heed
