// Damaged sound files: of 10⁵ mutations each gives a Sound or an Error, and nothing else, under the
// sanitizers as well. HEED_MUTATIONS sets another number.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "heed/base/error.h"
#include "heed/base/philox.h"
#include "heed/media/sound_file.h"
#include "tests/media/sound_bytes.h"

namespace heed {
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
    const test::Bytes bytes = mutated(files[i % files.size()], draws);
    try {
      const Sound sound = decode_sound(bytes, "mutated", {}, {.most_seconds = 20});
      ASSERT_LE(sound.seconds(), 20);
      for (const float sample : sound.samples) {
        ASSERT_TRUE(std::isfinite(sample)) << i;
      }
      ++sounds;
    } catch (const Error& error) {
      ASSERT_NE(std::string(error.what()).find("mutated: saw"), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(sounds, count / 20) << "most mutations were refused, so little was decoded";
  EXPECT_LT(sounds, count * 19 / 20);
}

}  // namespace
}  // namespace heed
