// Many counters of Philox side by side, for one SIMD target: see simd-inl.h.
#if defined(HEED_BACKEND_CPU_PHILOX_WORDS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_BACKEND_CPU_PHILOX_WORDS_INL_H
#undef HEED_BACKEND_CPU_PHILOX_WORDS_INL_H
#else
#define HEED_BACKEND_CPU_PHILOX_WORDS_INL_H
#endif

#include <hwy/highway.h>

#include <array>
#include <cstdint>

#include "heed/base/philox.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {

inline constexpr int64_t draws_a_block = 256;

/// The random words of elements [begin, begin + count), begin and count multiples of 4, in order:
/// what Draws::bits gives for each.
template <int64_t count = draws_a_block>
inline void philox_words(const Draws& draws, int64_t begin, uint32_t* to) {
  constexpr int64_t calls = count / 4;
  // Round by round over all calls: so the loops vectorise.
  uint32_t a[calls];
  uint32_t b[calls];
  uint32_t c[calls];
  uint32_t d[calls];
  for (int64_t i = 0; i < calls; ++i) {
    const auto counter = static_cast<uint64_t>(begin / 4 + i);
    a[i] = static_cast<uint32_t>(counter);
    b[i] = static_cast<uint32_t>(counter >> 32);
    c[i] = static_cast<uint32_t>(draws.step());
    d[i] = static_cast<uint32_t>(draws.step() >> 32);
  }
  auto k0 = static_cast<uint32_t>(draws.philox().key);
  auto k1 = static_cast<uint32_t>(draws.philox().key >> 32);
  for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9U, k1 += 0xBB67AE85U) {
#pragma omp simd
    for (int64_t i = 0; i < calls; ++i) {
      const uint64_t left = uint64_t{0xD2511F53U} * a[i];
      const uint64_t right = uint64_t{0xCD9E8D57U} * c[i];
      a[i] = static_cast<uint32_t>(right >> 32) ^ b[i] ^ k0;
      c[i] = static_cast<uint32_t>(left >> 32) ^ d[i] ^ k1;
      b[i] = static_cast<uint32_t>(right);
      d[i] = static_cast<uint32_t>(left);
    }
  }
  for (int64_t i = 0; i < calls; ++i) {
    to[4 * i] = a[i];
    to[4 * i + 1] = b[i];
    to[4 * i + 2] = c[i];
    to[4 * i + 3] = d[i];
  }
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
