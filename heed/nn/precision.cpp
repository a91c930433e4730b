#include "heed/nn/precision.h"

namespace heed {

void set_precision(Module& module, Precision precision) {
  for (Weight& weight : distinct_weights_of(module)) {
    weight.set_precision(precision);
  }
}

// Masters go back to the system as they are packed: if all of them waited for the end, a model would
// for a moment be twice in memory.
void serve(Module& module, Precision precision) {
  constexpr int64_t worth_a_call = int64_t{1} << 20;
  CachingAllocator* allocator = nullptr;
  for (Weight& weight : distinct_weights_of(module)) {
    weight.serve(precision);
    allocator = &weight.place().backend->allocator();
    if (allocator->statistics().cached_bytes >= worth_a_call) {
      allocator->trim();
    }
  }
  if (allocator != nullptr) {
    allocator->trim();
  }
}

}  // namespace heed
