// SHA-256 for CPUs without SHA instructions, eight blocks at a time: the message words of all eight in
// the lanes of the compiler's vectors, then the rounds block by block, because each block begins with
// the state that the one before left.
//
//   w_t = w_{t−16} + σ0(w_{t−15}) + w_{t−7} + σ1(w_{t−2})     (FIPS 180-4, 6.2.2)
//   maj(a, b, c) = b ^ ((a ^ b) & (b ^ c)), where b ^ c is the a ^ b of the round before
#include <algorithm>
#include <bit>
#include <cstring>

#include "heed/base/sha256.h"
#include "heed/base/sha256_rounds.h"

// Becomes a part of each function below, and so is compiled for the instructions of each.
#define HEED_INLINE [[gnu::always_inline]] inline

namespace heed {
namespace {

constexpr std::size_t lanes = 8;
using Words [[gnu::vector_size(4 * lanes)]] = std::uint32_t;

/// w_t + K_t of eight blocks, 0 ≤ t < 64.
union Schedule {
  Words words[64];
  std::uint32_t of_lane[64][lanes];
};

HEED_INLINE std::uint32_t word_at(const std::uint8_t* bytes) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes, sizeof(word));
  return std::endian::native == std::endian::little ? __builtin_bswap32(word) : word;
}

HEED_INLINE void fill_schedule(Schedule& schedule, const std::uint8_t* data) {
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    for (std::size_t t = 0; t < 16; ++t) {
      schedule.of_lane[t][lane] = word_at(data + 64 * lane + 4 * t);
    }
  }
  Words* const w = schedule.words;
  for (std::size_t t = 16; t < 64; ++t) {
    const Words x = w[t - 15];
    const Words y = w[t - 2];
    const Words sigma0 = (x >> 7 | x << 25) ^ (x >> 18 | x << 14) ^ x >> 3;
    const Words sigma1 = (y >> 17 | y << 15) ^ (y >> 19 | y << 13) ^ y >> 10;
    w[t] = w[t - 16] + sigma0 + w[t - 7] + sigma1;
    w[t - 16] += sha256_rounds[t - 16];
  }
  for (std::size_t t = 48; t < 64; ++t) {
    w[t] += sha256_rounds[t];
  }
}

/// One round. The eight variables do not move: the names do, by one place a round.
template <std::size_t Round>
HEED_INLINE void take_round(std::uint32_t* v, std::uint32_t word, std::uint32_t& b_xor_c) {
  const auto at = [v](std::size_t name) -> std::uint32_t& { return v[(name + 64 - Round) % 8]; };
  const std::uint32_t a = at(0);
  const std::uint32_t b = at(1);
  const std::uint32_t e = at(4);
  std::uint32_t h = at(7) + word;
  h += (e & at(5)) + (~e & at(6));
  h += std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
  at(3) += h;
  const std::uint32_t a_xor_b = a ^ b;
  h += b ^ (a_xor_b & b_xor_c);
  h += std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
  at(7) = h;
  b_xor_c = a_xor_b;
}

HEED_INLINE void take_rounds(std::uint32_t* state, const Schedule& schedule, std::size_t lane) {
  std::uint32_t v[8];
  std::copy_n(state, 8, v);
  std::uint32_t b_xor_c = v[1] ^ v[2];
  for (std::size_t t = 0; t < 64; t += 8) {
    const auto word = [&](std::size_t i) { return schedule.of_lane[t + i][lane]; };
    take_round<0>(v, word(0), b_xor_c);
    take_round<1>(v, word(1), b_xor_c);
    take_round<2>(v, word(2), b_xor_c);
    take_round<3>(v, word(3), b_xor_c);
    take_round<4>(v, word(4), b_xor_c);
    take_round<5>(v, word(5), b_xor_c);
    take_round<6>(v, word(6), b_xor_c);
    take_round<7>(v, word(7), b_xor_c);
  }
  for (std::size_t i = 0; i < 8; ++i) {
    state[i] += v[i];
  }
}

HEED_INLINE void compress_blocks(std::uint32_t* state, const std::uint8_t* data,
                                 std::size_t blocks) {
  Schedule schedule;
  while (blocks > 0) {
    const std::size_t here = std::min(blocks, lanes);
    std::uint8_t last[64 * lanes];  // with blocks that nobody asks for
    if (here < lanes) {
      std::memset(last, 0, sizeof(last));
      std::memcpy(last, data, 64 * here);
    }
    fill_schedule(schedule, here < lanes ? last : data);
    for (std::size_t lane = 0; lane < here; ++lane) {
      take_rounds(state, schedule, lane);
    }
    blocks -= here;
    data += 64 * here;
  }
}

void compress_anywhere(std::uint32_t* state, const std::uint8_t* data, std::size_t blocks) {
  compress_blocks(state, data, blocks);
}

#if defined(__x86_64__)
[[gnu::target("avx2,bmi,bmi2")]] void compress_avx2(std::uint32_t* state, const std::uint8_t* data,
                                                    std::size_t blocks) {
  compress_blocks(state, data, blocks);
}
#endif

}  // namespace

Sha256::Compress Sha256::in_lanes() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi2") != 0) {
    return compress_avx2;
  }
#endif
  return compress_anywhere;
}

}  // namespace heed
