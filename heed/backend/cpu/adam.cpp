// One update of Adam and of a moving average, each in one pass over all parameters; device/kernel/
// has the formulas.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/adam.cpp"
#include "heed/device/kernel/adam.h"

#include <hwy/foreach_target.h>

#include <cmath>

#include "heed/backend/cpu/chunks.h"
#include "heed/backend/cpu/kernels.h"
#include "heed/backend/cpu/simd-inl.h"
#include "heed/base/error.h"
#include "heed/device/kernel/moving_average.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {

/// Elements [begin, end), where g points to the gradient of the first.
void adam_part(const AdamStep& step, const AdamTensors& all, const float* g, int64_t begin,
               int64_t count) {
  float* p = all.p.as<float>() + begin;
  float* m = all.m.as<float>() + begin;
  float* v = all.v.as<float>() + begin;
  const float* numbers = step.numbers.as<float>();
  const auto keep1 = static_cast<float>(step.beta1);
  const auto keep2 = static_cast<float>(step.beta2);
  const auto take1 = static_cast<float>(1 - step.beta1);
  const auto take2 = static_cast<float>(1 - step.beta2);
  const auto epsilon = static_cast<float>(step.epsilon);
  const auto pull = static_cast<float>(step.pull);
  const float rate = numbers[1];
  const float root = numbers[2];
  const float shrink = numbers[3];
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) {
    const float gradient = g[i] + pull * p[i];
    m[i] = keep1 * m[i] + take1 * gradient;
    v[i] = keep2 * v[i] + take2 * (gradient * gradient);
    p[i] = shrink * p[i] - rate * (m[i] / (root * std::sqrt(v[i]) + epsilon));
  }
}

/// A clipped gradient is scaled block by block in the first-level cache, before anything is added
/// to it, because another order would round differently.
void adam_range(const AdamStep& step, const AdamTensors& all, int64_t begin, int64_t end) {
  const float* g = all.g.as<float>();
  const float scale = *step.numbers.as<float>();
  if (scale == 1) {
    return adam_part(step, all, g + begin, begin, end - begin);
  }
  constexpr int64_t block = 1024;
  float scaled[block];
  for (int64_t at = begin; at < end; at += block) {
    const int64_t count = std::min(block, end - at);
#pragma omp simd
    for (int64_t i = 0; i < count; ++i) {
      scaled[i] = scale * g[at + i];
    }
    adam_part(step, all, scaled, at, count);
  }
}

void average_range(float kept, float taken, float* mean, const float* p, int64_t count) {
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) {
    mean[i] = kept * mean[i] + taken * p[i];
  }
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {
namespace {

void check_parameter(const char* who, std::initializer_list<const View*> views) {
  const Shape& shape = (*views.begin())->shape;
  for (const View* view : views) {
    require(view->is_contiguous() && view->shape == shape && view->dtype == DType::f32,
            "{}: saw {} {}, needs dense f32 {}", who, name_of(view->dtype), to_string(view->shape),
            to_string(shape));
  }
}

void check_numbers(const char* who, const View& numbers, int64_t count) {
  require(numbers.is_contiguous() && numbers.shape == Shape{count} && numbers.dtype == DType::f32,
          "{}: saw numbers {} {}, needs dense f32 [{}]", who, name_of(numbers.dtype),
          to_string(numbers.shape), count);
}

}  // namespace

HWY_EXPORT(adam_range);
HWY_EXPORT(average_range);

void adam(const AdamStep& step) {
  check_numbers("adam", step.numbers, 4);
  std::vector<int64_t> sizes;
  for (const AdamTensors& all : step.tensors) {
    check_parameter("adam", {&all.p, &all.m, &all.v, &all.g});
    sizes.push_back(all.p.numel());
  }
  each_range_of(sizes, grain, [&step](int64_t which, int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(adam_range)
    (step, step.tensors[static_cast<size_t>(which)], begin, end);
  });
}

void moving_average(const MovingAverage& call) {
  check_numbers("moving average", call.numbers, 2);
  std::vector<int64_t> sizes;
  for (const AveragedTensor& one : call.tensors) {
    check_parameter("moving average", {&one.mean, &one.p});
    sizes.push_back(one.p.numel());
  }
  const float* numbers = call.numbers.as<float>();
  each_range_of(sizes, grain, [&](int64_t which, int64_t begin, int64_t end) {
    const AveragedTensor& one = call.tensors[static_cast<size_t>(which)];
    HWY_DYNAMIC_DISPATCH(average_range)
    (numbers[0], numbers[1], one.mean.as<float>() + begin, one.p.as<float>() + begin, end - begin);
  });
}

}  // namespace heed::cpu
#endif
