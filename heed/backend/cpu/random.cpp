// Element e draws with counter e, so the chunk grid never shows.
//
//   uniform = (⌊bits / 2⁹⌋ + ½) / 2²³,   normal = the draw's float normal
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/random.cpp"
#include <hwy/foreach_target.h>

#include "heed/backend/cpu/chunks.h"
#include "heed/backend/cpu/philox_words-inl.h"
#include "heed/backend/cpu/primitives.h"
#include "heed/backend/cpu/segments.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {

/// A whole block of elements from `begin`, a multiple of 4, on.
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

}  // namespace heed::cpu
#endif
