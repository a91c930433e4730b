#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/gemm/after_product.cpp"
#include "heed/backend/cpu/gemm/after_product.h"

#include <hwy/foreach_target.h>

#include "heed/backend/cpu/simd-inl.h"
#include "heed/backend/cpu/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {

HWY_FLATTEN void apply_to_row(AfterProduct after, float* x, int64_t n) {
  const Wide d;
  switch (after) {
    case AfterProduct::relu:
      return transform(
          x, n,
          [d](Floats v) HWY_ATTR { return hn::IfThenElse(hn::Lt(v, hn::Zero(d)), hn::Zero(d), v); },
          x);
    case AfterProduct::gelu:
      return transform<2>(
          x, n, [d](Floats v) HWY_ATTR { return gelu(d, v); }, x);
    case AfterProduct::silu:
      return transform<2>(
          x, n, [d](Floats v) HWY_ATTR { return silu(d, v); }, x);
    case AfterProduct::tanh:
      return transform<2>(
          x, n, [d](Floats v) HWY_ATTR { return tanh(d, v); }, x);
    case AfterProduct::sigmoid:
      return transform<2>(
          x, n, [d](Floats v) HWY_ATTR { return sigmoid(d, v); }, x);
    case AfterProduct::nothing:
      return;
  }
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {
HWY_EXPORT(apply_to_row);

void apply(AfterProduct after, float* x, int64_t n) {
  if (after != AfterProduct::nothing) {
    HWY_DYNAMIC_DISPATCH(apply_to_row)(after, x, n);
  }
}
}  // namespace heed::cpu
#endif
