// Damaged sound files: of 10⁵ mutations each gives a Sound or an Error, and nothing else, under the
// sanitizers as well. HEED_MUTATIONS sets another number.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <iostream>

#include "heed/base/error.h"
#include "heed/base/philox.h"
#include "heed/media/sound_file.h"
#include "tests/media/sound_bytes.h"

/// libsndfile 1.2.0 forgets what libvorbis holds, 5.8 kB, of each Ogg file whose Vorbis headers it refuses. The leak
/// check reads this list; leaks of anybody else still end the test.
extern "C" const char* __lsan_default_suppressions();   // NOLINT
extern "C" const char* __lsan_default_suppressions() {  // NOLINT
  return "leak:vorbis_info_init\nleak:vorbis_synthesis_headerin\n";
}

namespace heed::sound_mutations_long_test {
namespace {

/// A few bytes changed, most of them in the header; sometimes the file is cut, grown, or a stretch
/// of it is repeated.
test::Bytes mutated(test::Bytes bytes, const Draws& draws) {
  uint64_t next = 0;
  const auto below = [&](uint64_t bound) { return draws.below(next++, bound); };
  const uint64_t changes = 1 + below(8);
  for (uint64_t i = 0; i < changes; ++i) {
    const uint64_t reach = below(3) == 0 ? bytes.size() : std::min<uint64_t>(bytes.size(), 128);
    const uint64_t at = below(reach);
    switch (below(4)) {
      case 0:
        bytes[at] = static_cast<std::byte>(below(256));
        break;
      case 1:
        bytes[at] ^= static_cast<std::byte>(1U << below(8));
        break;
      case 2:
        bytes[at] = std::byte{0xFF};
        break;
      default:
        bytes[at] = std::byte{0};
    }
  }
  const uint64_t shape = below(8);
  if (shape == 0) {
    bytes.resize(below(bytes.size()) + 1);
  } else if (shape == 1) {
    const uint64_t from = below(bytes.size());
    const uint64_t count = below(std::min<uint64_t>(bytes.size() - from, 512)) + 1;
    const test::Bytes again(bytes.begin() + static_cast<std::ptrdiff_t>(from),
                            bytes.begin() + static_cast<std::ptrdiff_t>(from + count));
    bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(below(bytes.size())), again.begin(),
                 again.end());
  }
  return bytes;
}

/// Ogg's check sum: polynomial 0x04C11DB7, the highest bit first, from 0.
uint32_t ogg_check_sum(std::span<const std::byte> page) {
  uint32_t sum = 0;
  for (const std::byte byte : page) {
    sum ^= std::to_integer<uint32_t>(byte) << 24;
    for (int bit = 0; bit < 8; ++bit) {
      sum = sum << 1 ^ ((sum & 0x80000000U) != 0 ? 0x04C11DB7U : 0);
    }
  }
  return sum;
}

/// Gives every page of an Ogg file the check sum of what is in it now; otherwise a page with a
/// mutation would be passed over, and no decoder would ever see it.
void seal_ogg_pages(test::Bytes& bytes) {
  for (std::size_t at = 0; at + 27 < bytes.size();) {
    std::size_t size = 27 + std::to_integer<std::size_t>(bytes[at + 26]);
    if (bytes[at] != std::byte{'O'} || at + size > bytes.size()) {
      return;
    }
    for (std::size_t i = at + 27; i < at + 27 + std::to_integer<std::size_t>(bytes[at + 26]); ++i) {
      size += std::to_integer<std::size_t>(bytes[i]);
    }
    if (at + size > bytes.size()) {
      return;
    }
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at + 22), 4, std::byte{0});
    const uint32_t sum = ogg_check_sum(std::span(bytes).subspan(at, size));
    for (std::size_t i = 0; i < 4; ++i) {
      bytes[at + 22 + i] = static_cast<std::byte>(sum >> (8 * i) & 0xFF);
    }
    at += size;
  }
}

TEST(SoundMutations, GiveASoundOrAnError) {
  const char* wanted = std::getenv("HEED_MUTATIONS");
  const uint64_t count = wanted == nullptr ? 100'000 : std::strtoull(wanted, nullptr, 10);
  const Sound tone = test::sine(440, 16'000, 0.2);
  std::vector<test::Bytes> files;
  for (const int format : {SF_FORMAT_WAV | SF_FORMAT_PCM_16, SF_FORMAT_WAV | SF_FORMAT_PCM_U8,
                           SF_FORMAT_WAV | SF_FORMAT_FLOAT, SF_FORMAT_WAV | SF_FORMAT_IMA_ADPCM,
                           SF_FORMAT_FLAC | SF_FORMAT_PCM_16, SF_FORMAT_OGG | SF_FORMAT_VORBIS,
                           SF_FORMAT_AIFF | SF_FORMAT_PCM_16, SF_FORMAT_AU | SF_FORMAT_ULAW,
                           SF_FORMAT_NIST | SF_FORMAT_PCM_16, SF_FORMAT_RF64 | SF_FORMAT_PCM_24}) {
    files.push_back(test::encoded(tone, format));
  }
  files.push_back(test::encoded(test::sine(440, 48'000, 0.2), SF_FORMAT_OGG | SF_FORMAT_OPUS));
  uint64_t sounds = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const Draws draws({.seed = 16, .step = i});
    test::Bytes bytes = mutated(files[i % files.size()], draws);
    if (bytes[0] == std::byte{'O'} && draws.below(1000, 2) == 0) {
      seal_ogg_pages(bytes);
    }
    try {
      const Sound sound = decode_sound(bytes, "mutated", {}, {.most_seconds = 20});
      ASSERT_LE(sound.seconds(), 20);
      for (const float sample : sound.samples) {
        ASSERT_TRUE(std::isfinite(sample)) << i;
      }
      ++sounds;
    } catch (const Error& error) {
      ASSERT_NE(std::string(error.what()).find("mutated: "), std::string::npos) << error.what();
    }
  }
  std::cout << sounds << " of " << count << " mutations were still sounds\n";
  EXPECT_GT(sounds, count / 20) << "most mutations were refused, so little was decoded";
  EXPECT_LT(sounds, count * 19 / 20);
}

}  // namespace
}  // namespace heed::sound_mutations_long_test
