// The training tasks that are measured: a model, a batch, and one whole step (forward, loss,
// backward, clip, Adam).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "heed/tensor/tensor.h"

namespace heed::bench {

struct Task {
  std::function<double(int64_t step)> step;  // the loss
  int64_t tokens = 0;  // of the target, or of the source where there is no target
};

/// "bilstm", "additive", "pyramid" or "long" (2000 slots), both also with "_location_aware" or
/// "_monotonic" behind, "transformer_short", "transformer_long", or "small_" and one of
/// additive and transformer; all but the first also with "_bf16" behind: products with weights and within attention.
/// ":SENTENCES,LENGTH,VOCABULARY" after "additive" or a Transformer's name gives it other sizes.
Task make_task(const std::string& name, const Place& place);

}  // namespace heed::bench
