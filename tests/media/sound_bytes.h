// Sound files in memory, for tests: a WAV written byte by byte, and others by libsndfile's encoders.
#pragma once

#include <gtest/gtest.h>
#include <sndfile.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <numbers>
#include <string>
#include <vector>

#include "heed/media/sound.h"

namespace heed::test {

using Bytes = std::vector<std::byte>;

inline void append_text(Bytes& bytes, const std::string& text) {
  for (const char letter : text) {
    bytes.push_back(static_cast<std::byte>(letter));
  }
}

inline void append_number(Bytes& bytes, uint64_t number, int count) {
  for (int i = 0; i < count; ++i) {
    bytes.push_back(static_cast<std::byte>(number >> (8 * i) & 0xFF));
  }
}

struct WavForm {
  uint32_t rate = 16'000;
  uint32_t channels = 1;
  uint32_t bits = 16;
  uint32_t tag = 1;  // 1: PCM, 3: float
};

/// A WAV file around the bytes of its samples.
inline Bytes wav_around(const Bytes& data, const WavForm& form) {
  Bytes bytes;
  append_text(bytes, "RIFF");
  append_number(bytes, 36 + data.size(), 4);
  append_text(bytes, "WAVEfmt ");
  append_number(bytes, 16, 4);
  append_number(bytes, form.tag, 2);
  append_number(bytes, form.channels, 2);
  append_number(bytes, form.rate, 4);
  append_number(bytes, uint64_t{form.rate} * form.channels * form.bits / 8, 4);
  append_number(bytes, uint64_t{form.channels} * form.bits / 8, 2);
  append_number(bytes, form.bits, 2);
  append_text(bytes, "data");
  append_number(bytes, data.size(), 4);
  bytes.insert(bytes.end(), data.begin(), data.end());
  return bytes;
}

/// 16 bits a sample, one channel.
inline Bytes wav_of(const std::vector<int16_t>& samples, uint32_t rate) {
  Bytes data;
  for (const int16_t sample : samples) {
    append_number(data, static_cast<uint16_t>(sample), 2);
  }
  return wav_around(data, {.rate = rate});
}

/// amplitude · sin(2π hertz t).
inline Sound sine(double hertz, int32_t rate, double seconds, double amplitude = 0.5) {
  Sound sound{rate, {}};
  const auto count = static_cast<int64_t>(std::llround(seconds * rate));
  for (int64_t n = 0; n < count; ++n) {
    const double angle = 2 * std::numbers::pi * hertz * static_cast<double>(n) / rate;
    sound.samples.push_back(static_cast<float>(amplitude * std::sin(angle)));
  }
  return sound;
}

/// What an encoder of libsndfile makes of the sound: format is such as SF_FORMAT_FLAC |
/// SF_FORMAT_PCM_16.
inline Bytes encoded(const Sound& sound, int format) {
  struct Store {
    Bytes bytes;
    sf_count_t at = 0;
  } store;
  SF_VIRTUAL_IO calls{};
  calls.get_filelen = [](void* user) {
    return static_cast<sf_count_t>(static_cast<Store*>(user)->bytes.size());
  };
  calls.seek = [](sf_count_t offset, int whence, void* user) {
    auto& to = *static_cast<Store*>(user);
    const auto size = static_cast<sf_count_t>(to.bytes.size());
    to.at = offset + (whence == SEEK_CUR ? to.at : whence == SEEK_END ? size : 0);
    return to.at;
  };
  calls.read = [](void* into, sf_count_t count, void* user) {
    auto& from = *static_cast<Store*>(user);
    const auto size = static_cast<sf_count_t>(from.bytes.size());
    const sf_count_t taken = std::clamp<sf_count_t>(size - from.at, 0, count);
    std::memcpy(into, from.bytes.data() + from.at, static_cast<std::size_t>(taken));
    from.at += taken;
    return taken;
  };
  calls.write = [](const void* from, sf_count_t count, void* user) {
    auto& to = *static_cast<Store*>(user);
    const auto end = static_cast<std::size_t>(to.at + count);
    to.bytes.resize(std::max(to.bytes.size(), end));
    std::memcpy(to.bytes.data() + to.at, from, static_cast<std::size_t>(count));
    to.at += count;
    return count;
  };
  calls.tell = [](void* user) { return static_cast<Store*>(user)->at; };
  SF_INFO info{};
  info.samplerate = sound.rate;
  info.channels = 1;
  info.format = format;
  SNDFILE* file = sf_open_virtual(&calls, SFM_WRITE, &info, &store);
  EXPECT_NE(file, nullptr) << sf_strerror(nullptr);
  if (file != nullptr) {
    const auto count = static_cast<sf_count_t>(sound.samples.size());
    EXPECT_EQ(sf_writef_float(file, sound.samples.data(), count), count);
    sf_close(file);
  }
  return store.bytes;
}

}  // namespace heed::test
