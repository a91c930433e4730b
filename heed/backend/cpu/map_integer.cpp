#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/map_integer.cpp"
#include <hwy/foreach_target.h>

#include "heed/backend/cpu/dense_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {

template <class F>
using OnIntegers = std::bool_constant<works_on_integers(function<F>)>;

DenseLoop<int32_t> integer_loop(Function f) {
  static constexpr auto loops =
      loop_table<int32_t, OnIntegers>(static_cast<fn::Functions*>(nullptr));
  return loops[static_cast<size_t>(f)];
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {

HWY_EXPORT(integer_loop);

DenseLoop<int32_t> integer_loop(Function f) { return HWY_DYNAMIC_DISPATCH(integer_loop)(f); }

}  // namespace heed::cpu
#endif
