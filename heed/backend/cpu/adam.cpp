// One update of Adam in one pass over p, m, v and g; the formula stands in device/kernel/.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/adam.cpp"
#include "heed/device/kernel/adam.h"

#include <hwy/foreach_target.h>

#include <cmath>

#include "heed/backend/cpu/chunks.h"
#include "heed/backend/cpu/kernels.h"
#include "heed/backend/cpu/simd-inl.h"
#include "heed/base/error.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {

void adam_range(const AdamStep& step, int64_t begin, int64_t end) {
  float* p = step.p.as<float>();
  float* m = step.m.as<float>();
  float* v = step.v.as<float>();
  const float* g = step.g.as<float>();
  const auto keep1 = static_cast<float>(step.beta1);
  const auto keep2 = static_cast<float>(step.beta2);
  const auto take1 = static_cast<float>(1 - step.beta1);
  const auto take2 = static_cast<float>(1 - step.beta2);
  const auto epsilon = static_cast<float>(step.epsilon);
  const auto rate = static_cast<float>(step.rate);
  const auto root = static_cast<float>(step.root);
  const auto pull = static_cast<float>(step.pull);
  const auto shrink = static_cast<float>(step.shrink);
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) {
    const float gradient = g[i] + pull * p[i];
    m[i] = keep1 * m[i] + take1 * gradient;
    v[i] = keep2 * v[i] + take2 * (gradient * gradient);
    p[i] = shrink * p[i] - rate * (m[i] / (root * std::sqrt(v[i]) + epsilon));
  }
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {

HWY_EXPORT(adam_range);

void adam(const AdamStep& step) {
  for (const View* view : {&step.p, &step.m, &step.v, &step.g}) {
    require(view->is_contiguous() && view->shape == step.p.shape && view->dtype == DType::f32,
            "adam: saw {} {}, needs dense f32 {}", name_of(view->dtype), to_string(view->shape),
            to_string(step.p.shape));
  }
  each_range(step.p.numel(), grain, [&step](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(adam_range)(step, begin, end);
  });
}

}  // namespace heed::cpu
#endif
