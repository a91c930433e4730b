// One update of Adam in one pass over p, m, v and g; the formula stands in device/kernel/.
#include "heed/device/kernel/adam.h"

#include <cmath>

#include "heed/backend/cpu/chunks.h"
#include "heed/backend/cpu/kernels.h"
#include "heed/base/error.h"

namespace heed::cpu {

void adam(const AdamStep& step) {
  for (const View* view : {&step.p, &step.m, &step.v, &step.g}) {
    require(view->is_contiguous() && view->shape == step.p.shape && view->dtype == DType::f32,
            "adam: saw {} {}, needs dense f32 {}", name_of(view->dtype), to_string(view->shape),
            to_string(step.p.shape));
  }
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
  each_range(step.p.numel(), grain, [=](int64_t begin, int64_t end) {
#pragma omp simd
    for (int64_t i = begin; i < end; ++i) {
      const float slope = g[i] + pull * p[i];
      m[i] = keep1 * m[i] + take1 * slope;
      v[i] = keep2 * v[i] + take2 * (slope * slope);
      p[i] = shrink * p[i] - rate * (m[i] / (root * std::sqrt(v[i]) + epsilon));
    }
  });
}

}  // namespace heed::cpu
