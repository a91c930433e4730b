#include "heed/train/step_numbers.h"

#include <vector>

namespace heed {

void StepNumbers::write(std::span<const double> values) const {
  require(numbers_.defined() && static_cast<int64_t>(values.size()) == numbers_.numel(),
          "step numbers: saw {} values, needs as many as were made room for", values.size());
  with_type(numbers_.dtype(), [&](auto kind) {
    const std::vector<decltype(kind)> cast(values.begin(), values.end());
    numbers_.backend().upload(numbers_.view(), cast.data());
  });
}

}  // namespace heed
