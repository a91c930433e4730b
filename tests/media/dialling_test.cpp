#include "heed/media/dialling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "heed/base/error.h"

namespace heed::dialling_test {
namespace {

/// The power of one frequency in a stretch of samples (Goertzel 1958, written as the sum it is).
double power_at(const Sound& sound, double hertz, int first_ms, int count_ms) {
  double real = 0;
  double imaginary = 0;
  const int first = first_ms * sound.rate / 1000;
  const int count = count_ms * sound.rate / 1000;
  for (int n = first; n < first + count; ++n) {
    const double angle = 2 * std::numbers::pi * hertz * n / sound.rate;
    real += sound.samples[static_cast<std::size_t>(n)] * std::cos(angle);
    imaginary += sound.samples[static_cast<std::size_t>(n)] * std::sin(angle);
  }
  return (real * real + imaginary * imaginary) / count / count;
}

/// The key whose two frequencies are loudest.
char heard(const Sound& sound, const Key& key) {
  constexpr std::array<double, 4> rows = {697, 770, 852, 941};
  constexpr std::array<double, 3> columns = {1209, 1336, 1477};
  const auto loudest = [&](const auto& all) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < all.size(); ++i) {
      const auto power = [&](std::size_t which) {
        return power_at(sound, all[which], key.start_ms, key.length_ms);
      };
      best = power(i) > power(best) ? i : best;
    }
    return best;
  };
  return "123456789*0#"[3 * loudest(rows) + loudest(columns)];
}

TEST(Dialling, IsWrittenAndReadBack) {
  const std::string text = "tones:1450ms,6dB,#123,5@120+80,3@310+75";
  const Dialling dialling = dialling_of(text);
  EXPECT_EQ(dialling.length_ms, 1450);
  EXPECT_EQ(dialling.noise_db, 6);
  EXPECT_EQ(dialling.noise_number, 123U);
  ASSERT_EQ(dialling.keys.size(), 2U);
  EXPECT_EQ(dialling.keys[1].digit, '3');
  EXPECT_EQ(dialling.keys[1].start_ms, 310);
  EXPECT_EQ(dialling.keys[1].length_ms, 75);
  EXPECT_EQ(text_of(dialling), text);
  EXPECT_EQ(dialling.samples(), 11'600);
}

TEST(Dialling, EveryDigitIsHeardAtItsPlace) {
  for (const int noise : {100, 10}) {
    Dialling dialling{.length_ms = 2000, .noise_db = noise, .noise_number = 5, .keys = {}};
    for (int i = 0; i < 10; ++i) {
      dialling.keys.push_back({static_cast<char>('0' + i), 50 + 180 * i, 100});
    }
    const Sound sound = sound_of(dialling);
    EXPECT_EQ(sound.samples.size(), 16'000U);
    for (const Key& key : dialling.keys) {
      EXPECT_EQ(heard(sound, key), key.digit) << noise << " dB";
    }
  }
}

TEST(Dialling, NoiseIsAsLoudAsItSays) {
  const auto power = [](const std::string& text) {
    const Sound sound = sound_of(dialling_of(text));
    double sum = 0;
    for (const float sample : sound.samples) {
      sum += static_cast<double>(sample) * sample / static_cast<double>(sound.samples.size());
    }
    return sum;
  };
  const double key = 0.25 * 0.25;  // two sines of a quarter: 2 · A²/2
  EXPECT_NEAR(power("tones:20000ms,0dB,#1"), key, 0.01 * key);
  EXPECT_NEAR(power("tones:20000ms,10dB,#1"), key / 10, 0.001 * key);
  EXPECT_NE(sound_of(dialling_of("tones:10ms,0dB,#1")).samples,
            sound_of(dialling_of("tones:10ms,0dB,#2")).samples);
}

TEST(Dialling, FaultyTextsAreRefused) {
  for (const char* text : {"",
                           "call.wav",
                           "tones:",
                           "tones:6dB,#1",
                           "tones:0ms",
                           "tones:60001ms",
                           "tones:-5ms",
                           "tones:99999999999ms",
                           "tones:100ms,5",
                           "tones:100ms,5@",
                           "tones:100ms,5@10",
                           "tones:100ms,5@10+",
                           "tones:100ms,5@10+0",
                           "tones:100ms,5@10+91",
                           "tones:100ms,x@10+5",
                           "tones:100ms,5@10+20,6@29+5",
                           "tones:100ms,101dB",
                           "tones:100ms,#",
                           "tones:100ms,#-1",
                           "tones:100ms,,",
                           "tones:5@10+20,100ms"}) {
    EXPECT_THROW(dialling_of(text), Error) << text;
  }
}

}  // namespace
}  // namespace heed::dialling_test
