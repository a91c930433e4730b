#include "heed/backend/cpu/targets.h"

#include <hwy/highway.h>

namespace heed {

std::vector<std::string> cpu_targets() {
  std::vector<std::string> names;
  // Lower bits are better targets.
  for (auto left =
           static_cast<uint64_t>(HWY_TARGETS) & static_cast<uint64_t>(hwy::SupportedTargets());
       left != 0; left &= left - 1) {
    names.emplace_back(hwy::TargetName(static_cast<int64_t>(left & (~left + 1))));
  }
  return names;
}

}  // namespace heed
