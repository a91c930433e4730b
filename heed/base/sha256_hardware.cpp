// SHA-256 by the SHA instructions of Armv8 (SHA256H, H2, SU0, SU1) and of x86 (SHA-NI), where the
// CPU has them at run time.
//
// Both take four rounds at a time. With W_i the i-th group of four message words, W_{i+4} follows
// from W_i .. W_{i+3}, so a ring of four vectors is enough.
#include "heed/base/sha256.h"
#include "heed/base/sha256_rounds.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#include <sys/auxv.h>
#elif defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace heed {
namespace {

#if defined(__aarch64__)

// In assembly because clang 14 hides the intrinsics unless the whole file is compiled for them.
uint32x4_t rounds_abcd(uint32x4_t abcd, uint32x4_t efgh, uint32x4_t words) {
  asm(".arch_extension sha2\n\tsha256h %q0, %q1, %2.4s" : "+w"(abcd) : "w"(efgh), "w"(words));
  return abcd;
}

uint32x4_t rounds_efgh(uint32x4_t efgh, uint32x4_t abcd, uint32x4_t words) {
  asm(".arch_extension sha2\n\tsha256h2 %q0, %q1, %2.4s" : "+w"(efgh) : "w"(abcd), "w"(words));
  return efgh;
}

/// W_{i+4} from W_i .. W_{i+3}.
uint32x4_t next_words(uint32x4_t w0, uint32x4_t w1, uint32x4_t w2, uint32x4_t w3) {
  asm(".arch_extension sha2\n\tsha256su0 %0.4s, %1.4s\n\tsha256su1 %0.4s, %2.4s, %3.4s"
      : "+&w"(w0)
      : "w"(w1), "w"(w2), "w"(w3));
  return w0;
}

void compress_hardware(std::uint32_t* state, const std::uint8_t* data, std::size_t blocks) {
  uint32x4_t abcd = vld1q_u32(state);
  uint32x4_t efgh = vld1q_u32(state + 4);
  for (; blocks > 0; --blocks, data += 64) {
    uint32x4_t w[4];
    for (std::size_t i = 0; i < 4; ++i) {
      w[i] = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(data + 16 * i)));
    }
    const uint32x4_t abcd_before = abcd;
    const uint32x4_t efgh_before = efgh;
    for (std::size_t i = 0; i < 16; ++i) {
      const uint32x4_t words = vaddq_u32(w[i % 4], vld1q_u32(sha256_rounds + 4 * i));
      if (i < 12) {
        w[i % 4] = next_words(w[i % 4], w[(i + 1) % 4], w[(i + 2) % 4], w[(i + 3) % 4]);
      }
      const uint32x4_t abcd_now = abcd;
      abcd = rounds_abcd(abcd, efgh, words);
      efgh = rounds_efgh(efgh, abcd_now, words);
    }
    abcd = vaddq_u32(abcd, abcd_before);
    efgh = vaddq_u32(efgh, efgh_before);
  }
  vst1q_u32(state, abcd);
  vst1q_u32(state + 4, efgh);
}

bool has_instructions() { return (getauxval(AT_HWCAP) & HWCAP_SHA2) != 0; }

#elif defined(__x86_64__)

/// W_{i+4} from W_i .. W_{i+3}.
[[gnu::target("sha,sse4.1")]] __m128i next_words(__m128i w0, __m128i w1, __m128i w2, __m128i w3) {
  const __m128i seventh = _mm_alignr_epi8(w3, w2, 4);  // W[t - 7] of the four
  return _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(w0, w1), seventh), w3);
}

[[gnu::target("sha,sse4.1")]] void compress_hardware(std::uint32_t* state, const std::uint8_t* data,
                                                     std::size_t blocks) {
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  // The instructions want the words paired as (A B E F) and (C D G H), the first named highest.
  const __m128i dcba = _mm_loadu_si128(reinterpret_cast<const __m128i*>(state));
  const __m128i hgfe = _mm_loadu_si128(reinterpret_cast<const __m128i*>(state + 4));
  const __m128i cdab = _mm_shuffle_epi32(dcba, 0xB1);
  const __m128i efgh = _mm_shuffle_epi32(hgfe, 0x1B);
  __m128i abef = _mm_alignr_epi8(cdab, efgh, 8);
  __m128i cdgh = _mm_blend_epi16(efgh, cdab, 0xF0);
  for (; blocks > 0; --blocks, data += 64) {
    __m128i w[4];
    for (std::size_t i = 0; i < 4; ++i) {
      w[i] =
          _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(data + 16 * i)), swap);
    }
    const __m128i abef_before = abef;
    const __m128i cdgh_before = cdgh;
    for (std::size_t i = 0; i < 16; ++i) {
      const __m128i k = _mm_load_si128(reinterpret_cast<const __m128i*>(sha256_rounds + 4 * i));
      const __m128i words = _mm_add_epi32(w[i % 4], k);
      if (i < 12) {
        w[i % 4] = next_words(w[i % 4], w[(i + 1) % 4], w[(i + 2) % 4], w[(i + 3) % 4]);
      }
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, words);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(words, 0x0E));
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1B);
  const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xB1);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state), _mm_blend_epi16(feba, dchg, 0xF0));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

bool has_instructions() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  constexpr unsigned sse41 = 1U << 19;
  constexpr unsigned sha = 1U << 29;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & sse41) != 0 &&
         __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & sha) != 0;
}

#else

constexpr Sha256::Compress compress_hardware = nullptr;
bool has_instructions() { return false; }

#endif

}  // namespace

Sha256::Compress Sha256::hardware() { return has_instructions() ? compress_hardware : nullptr; }

}  // namespace heed
