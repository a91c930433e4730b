// Element e draws with counter e, so the numbers do not depend on the chunks.
//
//   uniform = (⌊bits / 2⁹⌋ + ½) / 2²³,   normal = the draw's float normal
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/random.cpp"
#include <hwy/foreach_target.h>

#include "heed/backend/cpu/chunks.h"
#include "heed/backend/cpu/philox_words-inl.h"
#include "heed/backend/cpu/primitives.h"
#include "heed/backend/cpu/segments.h"
#include "heed/device/primitive_checks.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {

/// Draws a whole block of elements from `begin` on, which is a multiple of 4.
void draw_uniform(const Draws& draws, int64_t begin, float* to) {
  uint32_t words[draws_a_block];
  philox_words(draws, begin, words);
#pragma omp simd
  for (int64_t i = 0; i < draws_a_block; ++i) {
    to[i] = (static_cast<float>(static_cast<int32_t>(words[i] >> 9)) + 0.5F) * 0x1p-23F;
  }
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {
namespace {

constexpr int64_t block = HWY_STATIC_DISPATCH(draws_a_block);

void draw_normal(const Draws& draws, int64_t begin, int64_t count, float* to) {
  for (int64_t i = 0; i < count; i += 4) {
    const auto numbers = draws.normals(static_cast<uint64_t>((begin + i) / 4));
    std::copy(numbers.begin(), numbers.end(), to + i);
  }
}

}  // namespace

HWY_EXPORT(draw_uniform);

void random(const View& to, Distribution distribution, const RandomKey& key) {
  const Draws draws(key);
  const Segments<1> segments = segments_of<1>({to});
  each_range(segments.count(), grain / 4, [&](int64_t begin, int64_t end) {
    float numbers[block];
    for (int64_t at = begin; at < end; at += block) {
      const int64_t count = std::min(block, end - at);
      distribution == Distribution::normal ? draw_normal(draws, at, count, numbers)
                                           : HWY_DYNAMIC_DISPATCH(draw_uniform)(draws, at, numbers);
      const float* next = numbers;
      each_segment(segments, at, at + count, [&](const Offsets<1>& offset, int64_t length) {
        float* row = to.as<float>() + offset[0];
        for (int64_t i = 0; i < length; ++i) {
          row[i * segments.inner[0]] = *next++;
        }
      });
    }
  });
}

void random_rows(const View& to, Distribution distribution, const RandomKey& key,
                 const View& keys) {
  const int64_t heads = to.shape[1];
  const int64_t width = to.shape[2];
  each_range(to.shape[0] * heads, units_per_chunk(4 * width), [&](int64_t begin, int64_t end) {
    float numbers[block];
    for (int64_t unit = begin; unit < end; ++unit) {
      const Draws draws(checks::key_of_row(key, keys, unit / heads));
      const int64_t first = unit % heads << 24;
      float* row = to.as<float>() + unit / heads * to.strides[0] + unit % heads * to.strides[1];
      for (int64_t at = 0; at < width; at += block) {
        const int64_t count = std::min(block, width - at);
        distribution == Distribution::normal
            ? draw_normal(draws, first + at, count, numbers)
            : HWY_DYNAMIC_DISPATCH(draw_uniform)(draws, first + at, numbers);
        for (int64_t i = 0; i < count; ++i) {
          row[(at + i) * to.strides[2]] = numbers[i];
        }
      }
    }
  });
}

}  // namespace heed::cpu
#endif
