// How many seconds of sound a core decodes, resamples and turns into features in a second
// ("real_time": so many times as fast as the sound plays).
//
//   HEED_THREADS=1 build/release/bench/bench_sound
#include <benchmark/benchmark.h>

#include <cmath>

#include "heed/media/resample.h"
#include "heed/media/sound_features.h"
#include "heed/media/sound_file.h"

namespace heed {
namespace {

constexpr int seconds = 10;

/// Ten seconds of a chirp with noise.
std::vector<float> chirp(int rate) {
  std::vector<float> samples;
  uint32_t state = 1;
  for (int n = 0; n < seconds * rate; ++n) {
    state = state * 1664525U + 1013904223U;
    const double t = static_cast<double>(n) / rate;
    const double noise = static_cast<double>(state >> 8) / (1 << 24) - 0.5;
    samples.push_back(static_cast<float>(0.3 * std::sin(2000 * t * (1 + t)) + 0.1 * noise));
  }
  return samples;
}

/// A WAV file of 16 bits.
std::vector<std::byte> wav_file(int rate) {
  const std::vector<float> samples = chirp(rate);
  std::vector<std::byte> file;
  const auto put = [&file](uint64_t number, int count) {
    for (int i = 0; i < count; ++i) {
      file.push_back(static_cast<std::byte>(number >> (8 * i) & 0xFF));
    }
  };
  const auto put_text = [&file](const char* text) {
    for (; *text != '\0'; ++text) {
      file.push_back(static_cast<std::byte>(*text));
    }
  };
  const uint64_t bytes = samples.size() * 2;
  put_text("RIFF");
  put(36 + bytes, 4);
  put_text("WAVEfmt ");
  put(16, 4);
  put(1, 2);
  put(1, 2);
  put(static_cast<uint64_t>(rate), 4);
  put(static_cast<uint64_t>(rate) * 2, 4);
  put(2, 2);
  put(16, 2);
  put_text("data");
  put(bytes, 4);
  for (const float sample : samples) {
    put(static_cast<uint16_t>(std::lround(sample * 32'767)), 2);
  }
  return file;
}

void report(benchmark::State& state) {
  state.counters["real_time"] = benchmark::Counter(
      static_cast<double>(state.iterations()) * seconds, benchmark::Counter::kIsRate);
}

void features(benchmark::State& state, const std::string& preset) {
  const SoundFeatures make(feature_preset(preset));
  const std::vector<float> samples = chirp(static_cast<int>(make.rate()));
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(make(samples).data());
  }
  report(state);
}

void whole_way(benchmark::State& state, int rate) {
  const std::vector<std::byte> file = wav_file(rate);
  const SoundFeatures make(feature_preset("log_mel"));
  for ([[maybe_unused]] auto _ : state) {
    const Sound sound = resampled(decode_sound(file, "bench"), static_cast<int32_t>(make.rate()));
    benchmark::DoNotOptimize(make(sound.samples).data());
  }
  report(state);
}

BENCHMARK_CAPTURE(features, log_mel, "log_mel");
BENCHMARK_CAPTURE(features, kaldi_fbank, "kaldi_fbank");
BENCHMARK_CAPTURE(features, sphinx, "sphinx");
BENCHMARK_CAPTURE(features, librosa_mfcc, "librosa_mfcc");
BENCHMARK_CAPTURE(whole_way, wav_16000, 16'000);
BENCHMARK_CAPTURE(whole_way, wav_44100, 44'100);

}  // namespace
}  // namespace heed
