#include "heed/nn/precision.h"

namespace heed {

void set_precision(Module& module, Precision precision) {
  for (Weight& weight : distinct_weights_of(module)) {
    weight.set_precision(precision);
  }
}

// Masters go back to the system while others are packed: if all of them waited for the end, a model
// would for a moment be twice in memory. On a GPU each return stops what runs, so they go in a few
// lots, however many weights there are.
void serve(Module& module, Precision precision) {
  constexpr int64_t lots = 8;
  CachingAllocator* allocator = nullptr;
  for (Weight& weight : distinct_weights_of(module)) {
    weight.serve(precision);
    allocator = &weight.place().backend->allocator();
    const AllocatorStatistics now = allocator->statistics();
    if (now.cached_bytes >= now.live_bytes / lots) {
      allocator->trim();
    }
  }
  if (allocator != nullptr) {
    allocator->trim();
  }
}

}  // namespace heed
