#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/map_ternary.cpp"
#include <hwy/foreach_target.h>

#include "heed/backend/cpu/dense_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {

DenseLoop<float> ternary_loop(Function f) {
  static constexpr auto loops =
      loop_table<float, OfArity<3>::Wanted>(static_cast<fn::Functions*>(nullptr));
  return loops[static_cast<size_t>(f)];
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {

HWY_EXPORT(ternary_loop);

DenseLoop<float> ternary_loop(Function f) { return HWY_DYNAMIC_DISPATCH(ternary_loop)(f); }

}  // namespace heed::cpu
#endif
