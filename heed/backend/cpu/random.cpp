// Element e draws with counter e, so the chunk grid never shows.
//
//   uniform = (⌊bits / 2⁹⌋ + ½) / 2²³,   normal = the draw's float normal
#include "heed/backend/cpu/chunks.h"
#include "heed/backend/cpu/segments.h"
#include "heed/backend/cpu/verbs.h"

namespace heed::cpu {
namespace {

constexpr int64_t block = 256;  // a multiple of the four numbers of one Philox call

/// Elements [begin, begin + count); begin is a multiple of 4 and there is room for whole fours.
void draw(const Draws& draws, Distribution distribution, int64_t begin, int64_t count, float* to) {
  for (int64_t i = 0; i < count; i += 4) {
    const auto four = static_cast<uint64_t>((begin + i) / 4);
    if (distribution == Distribution::normal) {
      const auto numbers = draws.normals(four);
      std::copy(numbers.begin(), numbers.end(), to + i);
    } else {
      const auto bits = draws.block(four);
      for (int64_t j = 0; j < 4; ++j) {
        to[i + j] = (static_cast<float>(bits[static_cast<size_t>(j)] >> 9) + 0.5F) * 0x1p-23F;
      }
    }
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
      draw(draws, distribution, at, count, numbers);
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
