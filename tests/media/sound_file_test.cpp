#include "heed/media/sound_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <limits>

#include "heed/base/error.h"
#include "tests/media/sound_bytes.h"

namespace heed::sound_file_test {
namespace {

using test::append_number;
using test::append_text;
using test::Bytes;
using test::encoded;
using test::sine;
using test::wav_around;
using test::wav_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string fault_of(const Bytes& bytes, const SoundStretch& stretch = {},
                     const SoundLimits& limits = {}) {
  try {
    decode_sound(bytes, "call.wav", stretch, limits);
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::file);
    return error.what();
  }
  return "no error";
}

Sound decoded(const Bytes& bytes) { return decode_sound(bytes, "call.wav"); }

double mean_square_error(const Sound& one, const Sound& other) {
  double sum = 0;
  for (std::size_t i = 0; i < one.samples.size(); ++i) {
    const double off = one.samples[i] - other.samples[i];
    sum += off * off / static_cast<double>(one.samples.size());
  }
  return sum;
}

TEST(SoundFile, WavOfEveryWidthIsReadByHand) {
  Bytes eight;  // 8 bits are unsigned, 128 is silence
  append_number(eight, 128, 1);
  append_number(eight, 192, 1);
  append_number(eight, 0, 1);
  EXPECT_THAT(decoded(wav_around(eight, {.bits = 8})).samples, ElementsAre(0.F, 0.5F, -1.F));
  const Sound sixteen = decoded(wav_of({0, 16'384, -32'768}, 8000));
  EXPECT_EQ(sixteen.rate, 8000);
  EXPECT_THAT(sixteen.samples, ElementsAre(0.F, 0.5F, -1.F));
  for (const uint32_t bits : {24U, 32U}) {
    Bytes data;
    append_number(data, 0, bits / 8);
    append_number(data, uint64_t{1} << (bits - 2), bits / 8);
    append_number(data, uint64_t{1} << (bits - 1), bits / 8);
    EXPECT_THAT(decoded(wav_around(data, {.bits = bits})).samples, ElementsAre(0.F, 0.5F, -1.F))
        << bits;
  }
  Bytes floats;
  append_number(floats, std::bit_cast<uint32_t>(0.25F), 4);
  append_number(floats, std::bit_cast<uint32_t>(-1.5F), 4);
  EXPECT_THAT(decoded(wav_around(floats, {.bits = 32, .tag = 3})).samples,
              ElementsAre(0.25F, -1.5F));
  Bytes doubles;
  append_number(doubles, std::bit_cast<uint64_t>(0.125), 8);
  EXPECT_THAT(decoded(wav_around(doubles, {.bits = 64, .tag = 3})).samples, ElementsAre(0.125F));
}

TEST(SoundFile, ChannelsAreAveraged) {
  Bytes data;
  for (const int16_t sample : {16'384, -8192, 0, 32'000, 0, 768}) {
    append_number(data, static_cast<uint16_t>(sample), 2);
  }
  EXPECT_THAT(decoded(wav_around(data, {.channels = 2})).samples,
              ElementsAre(4096 / 32'768.F, 16'000 / 32'768.F, 384 / 32'768.F));
  EXPECT_THAT(decoded(wav_around(data, {.channels = 3})).samples,
              ElementsAre(8192 / 3 / 32'768.F + 2.F / 3 / 32'768, 32'768.F / 3 / 32'768));
}

TEST(SoundFile, OtherFormatsGiveTheSamplesBack) {
  const Sound tone = sine(440, 16'000, 0.5);
  struct Kind {
    int format;
    double most_error;  // mean square; the sine's own is 0.125
  };
  for (const Kind& kind :
       {Kind{SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 1e-9},
        Kind{SF_FORMAT_FLAC | SF_FORMAT_PCM_24, 1e-13},
        Kind{SF_FORMAT_AIFF | SF_FORMAT_PCM_24, 1e-13}, Kind{SF_FORMAT_AU | SF_FORMAT_ULAW, 1e-3},
        Kind{SF_FORMAT_RF64 | SF_FORMAT_FLOAT, 0}, Kind{SF_FORMAT_NIST | SF_FORMAT_PCM_16, 1e-9},
        Kind{SF_FORMAT_WAV | SF_FORMAT_ALAW, 1e-3}, Kind{SF_FORMAT_WAV | SF_FORMAT_IMA_ADPCM, 1e-3},
        Kind{SF_FORMAT_OGG | SF_FORMAT_VORBIS, 1e-4}}) {
    const Sound back = decoded(encoded(tone, kind.format));
    EXPECT_EQ(back.rate, 16'000) << std::hex << kind.format;
    // Formats of blocks fill the last one with silence.
    ASSERT_GE(back.samples.size(), tone.samples.size()) << std::hex << kind.format;
    EXPECT_LT(back.samples.size(), tone.samples.size() + 1024) << std::hex << kind.format;
    EXPECT_LE(mean_square_error(tone, back), kind.most_error) << std::hex << kind.format;
  }
}

TEST(SoundFile, OpusIsReadAt48Kilohertz) {
  const Sound tone = sine(440, 48'000, 0.5);
  const Sound back = decoded(encoded(tone, SF_FORMAT_OGG | SF_FORMAT_OPUS));
  EXPECT_EQ(back.rate, 48'000);
  ASSERT_EQ(back.samples.size(), tone.samples.size());
  EXPECT_LT(mean_square_error(tone, back), 1e-3);
}

TEST(SoundFile, AStretchIsReadAlone) {
  std::vector<int16_t> samples(16'000);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i] = static_cast<int16_t>(i);
  }
  const Bytes file = wav_of(samples, 16'000);
  const Sound part = decode_sound(file, "call.wav", {.start = 0.25, .end = 0.5});
  EXPECT_EQ(part.samples.size(), 4000U);
  EXPECT_EQ(part.samples.front(), 4000 / 32'768.F);
  EXPECT_EQ(part.samples.back(), 7999 / 32'768.F);
  EXPECT_EQ(decode_sound(file, "call.wav", {.start = 0.75}).samples.size(), 4000U);
  EXPECT_EQ(decode_sound(file, "call.wav", {.start = 0.75, .end = 9}).samples.size(), 4000U);
  EXPECT_THAT(fault_of(file, {.start = 1.5}),
              HasSubstr("the recording has 1 seconds, but the stretch begins at"));
  EXPECT_THAT(fault_of(file, {.start = 0.5, .end = 0.25}),
              HasSubstr("does not start before its end"));
  const Sound tone = sine(300, 16'000, 1);
  const Bytes flac = encoded(tone, SF_FORMAT_FLAC | SF_FORMAT_PCM_16);
  const std::vector<float> whole = decoded(flac).samples;
  EXPECT_EQ(decode_sound(flac, "a.flac", {.start = 0.25, .end = 0.5}).samples,
            std::vector<float>(whole.begin() + 4000, whole.begin() + 8000));
}

TEST(SoundFile, MoreSecondsThanAllowedAreRefused) {
  const Bytes second = wav_of(std::vector<int16_t>(16'000), 16'000);
  EXPECT_THAT(fault_of(second, {}, {.most_seconds = 0.5}), HasSubstr("at most 0.5 are read"));
  EXPECT_EQ(decode_sound(second, "a", {.start = 0.6}, {.most_seconds = 0.5}).samples.size(), 6400U);
  // A limit without end: as a whole number it would be negative on some machines.
  const double endless = std::numeric_limits<double>::infinity();
  EXPECT_EQ(decode_sound(second, "a", {}, {.most_seconds = endless}).samples.size(), 16000U);
  // A FLAC header counts samples in 36 bits: byte 21's lower half and the four bytes that follow.
  Bytes flac = encoded(sine(440, 16'000, 0.1), SF_FORMAT_FLAC | SF_FORMAT_PCM_16);
  flac[21] |= std::byte{0x0F};
  std::fill_n(flac.begin() + 22, 4, std::byte{0xFF});
  EXPECT_THAT(fault_of(flac), HasSubstr("at most 3600 are read"));
  // An RF64 header counts in 64 bits.
  Bytes large = encoded(sine(440, 16'000, 0.1), SF_FORMAT_RF64 | SF_FORMAT_PCM_16);
  const Bytes mark = {std::byte{'d'}, std::byte{'s'}, std::byte{'6'}, std::byte{'4'}};
  const auto found = std::search(large.begin(), large.end(), mark.begin(), mark.end());
  ASSERT_NE(found, large.end());
  std::fill_n(found + 16 + 5, 1, std::byte{1});  // 2^40 bytes of samples
  EXPECT_THAT(fault_of(large), HasSubstr("bytes of a WAV file of 1099511"));
}

TEST(SoundFile, FaultsNameTheFile) {
  EXPECT_THAT(fault_of({}),
              HasSubstr("call.wav: this file of 0 bytes is none of the sound files known here; "
                        "convert it to WAV, FLAC, Ogg (Vorbis, Opus), AIFF, AU or NIST SPHERE"));
  Bytes picture;
  append_text(picture, "\x89PNG\r\n");
  EXPECT_THAT(fault_of(picture), HasSubstr("call.wav: this is a picture, not a recording"));
  Bytes text;
  append_text(text, "this is a letter to somebody, not a recording");
  EXPECT_THAT(fault_of(text), HasSubstr("convert it to WAV, FLAC, Ogg"));
  Bytes cut = wav_of(std::vector<int16_t>(1000), 16'000);
  cut.resize(1000);
  EXPECT_THAT(fault_of(cut), HasSubstr("there are 1000 bytes of a WAV file of 2044"));
  EXPECT_THAT(fault_of(wav_of({1, 2, 3}, 5)), HasSubstr("it has 5 samples a second; only"));
  EXPECT_THAT(fault_of(wav_of({}, 16'000)), HasSubstr("call.wav"));
  Bytes flac = encoded(sine(440, 16'000, 1), SF_FORMAT_FLAC | SF_FORMAT_PCM_16);
  Bytes half(flac.begin(), flac.begin() + static_cast<std::ptrdiff_t>(flac.size() / 2));
  EXPECT_THAT(fault_of(half), HasSubstr("damaged or cut off"));
  Bytes nan;
  append_number(nan, 0x7FC00000, 4);
  EXPECT_THAT(fault_of(wav_around(nan, {.bits = 32, .tag = 3})), HasSubstr("is not finite"));
}

TEST(SoundFile, AWavWrittenToAPipeHasNoSize) {
  Bytes file = wav_of({1, 2, 3, 4}, 16'000);
  std::fill_n(file.begin() + 4, 4, std::byte{0xFF});
  std::fill_n(file.begin() + 40, 4, std::byte{0xFF});
  EXPECT_EQ(decoded(file).samples.size(), 4U);
}

}  // namespace
}  // namespace heed::sound_file_test
