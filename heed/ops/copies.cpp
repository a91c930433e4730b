#include "heed/ops/copies.h"

namespace heed {

void copy_all(Backend& backend, std::span<const CopyPair> pairs) {
  if (pairs.size() > 1 && backend.run_fused(Copies{pairs})) {
    return;
  }
  for (const CopyPair& pair : pairs) {
    backend.copy(pair.to, pair.from);
  }
}

}  // namespace heed
