// Element e draws with counter e, so the chunk grid never shows.
//
//   uniform = (⌊bits / 2⁹⌋ + ½) / 2²³,   normal = the draw's float normal
#include <array>

#include "heed/backend/cpu/chunks.h"
#include "heed/backend/cpu/segments.h"
#include "heed/backend/cpu/verbs.h"

namespace heed::cpu {
namespace {

constexpr int64_t block = 256;  // elements, 64 calls of Philox
constexpr int64_t calls = block / 4;

using Words = std::array<uint32_t, calls>;

/// What Draws::block gives for `calls` counters from `first` on, word by word: the rounds of many
/// counters side by side vectorise.
std::array<Words, 4> philox_words(const Draws& draws, uint64_t first) {
  Words a;
  Words b;
  Words c;
  Words d;
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<uint32_t>(first + i);
    b[i] = static_cast<uint32_t>((first + i) >> 32);
    c[i] = static_cast<uint32_t>(draws.step());
    d[i] = static_cast<uint32_t>(draws.step() >> 32);
  }
  auto k0 = static_cast<uint32_t>(draws.philox().key);
  auto k1 = static_cast<uint32_t>(draws.philox().key >> 32);
  for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9U, k1 += 0xBB67AE85U) {
#pragma omp simd
    for (size_t i = 0; i < a.size(); ++i) {
      const uint64_t left = uint64_t{0xD2511F53U} * a[i];
      const uint64_t right = uint64_t{0xCD9E8D57U} * c[i];
      a[i] = static_cast<uint32_t>(right >> 32) ^ b[i] ^ k0;
      c[i] = static_cast<uint32_t>(left >> 32) ^ d[i] ^ k1;
      b[i] = static_cast<uint32_t>(right);
      d[i] = static_cast<uint32_t>(left);
    }
  }
  return {a, b, c, d};
}

/// A whole block of elements from `begin`, a multiple of 4, on.
void draw_uniform(const Draws& draws, int64_t begin, float* to) {
  const auto words = philox_words(draws, static_cast<uint64_t>(begin / 4));
  for (size_t i = 0; i < calls; ++i) {
    for (size_t word = 0; word < 4; ++word) {
      to[4 * i + word] = (static_cast<float>(words[word][i] >> 9) + 0.5F) * 0x1p-23F;
    }
  }
}

void draw_normal(const Draws& draws, int64_t begin, int64_t count, float* to) {
  for (int64_t i = 0; i < count; i += 4) {
    const auto numbers = draws.normals(static_cast<uint64_t>((begin + i) / 4));
    std::copy(numbers.begin(), numbers.end(), to + i);
  }
}

}  // namespace

void random(const View& to, Distribution distribution, const RandomKey& key) {
  const Draws draws(key);
  const Segments<1> segments = segments_of<1>({to});
  each_range(segments.count(), grain / 4, [&](int64_t begin, int64_t end) {
    float numbers[block];
    for (int64_t at = begin; at < end; at += block) {
      const int64_t count = std::min(block, end - at);
      distribution == Distribution::normal ? draw_normal(draws, at, count, numbers)
                                           : draw_uniform(draws, at, numbers);
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
