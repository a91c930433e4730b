#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/map_unary.cpp"
#include <hwy/foreach_target.h>

#include "heed/backend/cpu/dense_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {

DenseLoop<float> unary_loop(Function f) {
  static constexpr auto loops =
      loop_table<float, OfArity<1>::Wanted>(static_cast<fn::Functions*>(nullptr));
  return loops[static_cast<size_t>(f)];
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {

HWY_EXPORT(unary_loop);

DenseLoop<float> unary_loop(Function f) { return HWY_DYNAMIC_DISPATCH(unary_loop)(f); }

}  // namespace heed::cpu
#endif
