#include "heed/search/label.h"

#include "heed/ops/reduce.h"
#include "heed/ops/softmax.h"
#include "heed/tensor/tape.h"

namespace heed {

std::vector<std::vector<Hypothesis>> label(const Model& model, const Batch& batch) {
  const NoGrad no_gradients;
  Pass pass = Pass::serving();
  const Remembered memory = model.remember(batch.source, pass);
  const Tensor log_p = log_softmax(model.labelling().label(memory, pass));  // [N, V]
  const std::vector<int32_t> best = argmax(log_p, -1).values<int32_t>();
  const std::vector<double> reached = max(log_p, -1).values();
  std::vector<std::vector<Hypothesis>> all;
  size_t row = 0;
  for (const int32_t length : memory.lengths) {
    Hypothesis found;
    found.ended = true;
    for (const size_t end = row + static_cast<size_t>(length); row < end; ++row) {
      found.log_probability += reached[row];
      if (row + 1 < end) {
        found.ids.push_back(best[row]);
      }
    }
    found.score = found.log_probability;
    all.push_back({found});
  }
  return all;
}

}  // namespace heed
