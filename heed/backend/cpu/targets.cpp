#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/targets.cpp"
#include "heed/backend/cpu/targets.h"

#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace heed::HWY_NAMESPACE {

bool fuses() { return HWY_ARCH_ARM != 0 || HWY_TARGET <= HWY_AVX2; }

}  // namespace heed::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed {
HWY_EXPORT(fuses);

bool fuses_products() { return HWY_DYNAMIC_DISPATCH(fuses)(); }

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
#endif
