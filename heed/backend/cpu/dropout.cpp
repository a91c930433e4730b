// y_e = x_e / (1 − p) where the uniform number of element e is at least p, else 0. The numbers are
// drawn block by block in the first-level cache.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/dropout.cpp"
#include "heed/device/kernel/dropout.h"

#include <hwy/foreach_target.h>

#include <algorithm>
#include <cmath>

#include "heed/backend/cpu/chunks.h"
#include "heed/backend/cpu/dropout_some.h"
#include "heed/backend/cpu/kernels.h"
#include "heed/backend/cpu/philox_words-inl.h"
#include "heed/backend/cpu/simd-inl.h"
#include "heed/base/error.h"
#include "heed/device/primitive_checks.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {

/// Elements [begin, end), begin a multiple of 4; those drawn below `bound` become 0.
void dropout_range(const DropoutStep& step, uint32_t bound, int64_t begin, int64_t end) {
  const Draws draws(checks::read_key(step.key));
  const auto kept = static_cast<float>(1 / (1 - step.rate));
  uint32_t words[draws_a_block];
  for (int64_t at = begin; at < end; at += draws_a_block) {
    philox_words(draws, at, words);
    float* y = step.y.as<float>() + at;
    const float* x = step.x.as<float>() + at;
    const int64_t count = std::min(draws_a_block, end - at);
#pragma omp simd
    for (int64_t i = 0; i < count; ++i) {
      y[i] = x[i] * (words[i] >= bound ? kept : 0.0F);
    }
  }
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {
namespace {

/// The least random word whose uniform number, (⌊word / 2⁹⌋ + ½) / 2²³, is at least p.
uint32_t bound_of(double rate) {
  const auto p = static_cast<double>(static_cast<float>(rate));  // rounded as in comparing floats
  const double least = std::max(0.0, std::ceil(p * 0x1p23 - 0.5));
  return static_cast<uint32_t>(std::min(least, 0x1p23 - 1)) << 9;
}

}  // namespace

HWY_EXPORT(dropout_range);

void dropout(const DropoutStep& step) {
  for (const View* view : {&step.y, &step.x}) {
    require(view->is_contiguous() && view->shape == step.y.shape && view->dtype == DType::f32,
            "dropout: saw {} {}, needs dense f32 {}", name_of(view->dtype), to_string(view->shape),
            to_string(step.y.shape));
  }
  require(step.rate >= 0 && step.rate < 1, "dropout: saw probability {}, needs 0 ≤ p < 1",
          step.rate);
  each_range(step.y.numel(), grain / 4,
             [&step](int64_t begin, int64_t end) { dropout_some(step, begin, end); });
}

void dropout_some(const DropoutStep& step, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(dropout_range)(step, bound_of(step.rate), begin, end);
}

}  // namespace heed::cpu
#endif
