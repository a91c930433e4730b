#include "heed/media/sound_features.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <numbers>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/json_reader.h"
#include "heed/media/fourier.h"
#include "tests/support/backends.h"
#include "tests/support/fixture.h"
#include "tests/support/tolerance.h"

namespace heed::sound_features_test {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::Pointwise;

/// The same samples as tools/fixtures/sound.py makes.
std::vector<float> made_up_recording(int count) {
  uint32_t state = 1;
  int64_t level = 0;
  std::vector<float> samples;
  const auto floored = [](int64_t number, int64_t by) {
    return (number - (number % by + by) % by) / by;
  };
  for (int n = 0; n < count; ++n) {
    state = state * 1664525U + 1013904223U;
    level = floored(level * 7 + (state >> 16) - 32'768, 8);
    const int64_t swell = 200 + std::abs(n % 1600 - 800);
    samples.push_back(static_cast<float>(floored(level * swell, 1000)) / 32'768.F);
  }
  return samples;
}

/// The forms of the fixture's cases, and how many samples each was made of.
std::pair<FeatureForm, int> form_of(const std::string& name) {
  if (name == "hamming_htk") {
    return {{.frames = {.window_samples = 400,
                        .hop_samples = 160,
                        .fft = 512,
                        .window = WindowKind::hamming,
                        .framing = Framing::centred},
             .mel = {.filters = 40, .low_hertz = 50, .high_hertz = 7000}},
            2000};
  }
  if (name == "blackman_slaney") {
    return {{.frames = {.window_samples = 320,
                        .hop_samples = 250,
                        .fft = 512,
                        .window = WindowKind::blackman,
                        .framing = Framing::centred,
                        .beyond = Beyond::mirrored},
             .mel = {.filters = 32,
                     .low_hertz = 20,
                     .scale = MelScale::slaney,
                     .has_equal_areas = true}},
            2000};
  }
  if (name == "kaldi_mfcc_deltas") {
    FeatureForm form = feature_preset("kaldi_mfcc");
    form.delta_order = 2;
    return {form, 2000};
  }
  return {feature_preset(name), name.starts_with("librosa") ? 5000 : 2000};
}

TEST(Frames, PlayedFasterOrSlowerLieBetweenTheirNeighbours) {
  const std::vector<float> rows = {0, 10, 2, 20, 4, 30};  // three rows of two
  EXPECT_THAT(played(rows, 2, 1), ElementsAre(0, 10, 2, 20, 4, 30));
  // 3 / 1.5 = 2 rows, at 0 and 1.5; 3 / 0.5 = 6 rows, at 0, 0.5 … 2.5, the last beyond the end.
  EXPECT_THAT(played(rows, 2, 1.5), ElementsAre(0, 10, 3, 25));
  EXPECT_THAT(played(rows, 2, 0.5), ElementsAre(0, 10, 1, 15, 2, 20, 3, 25, 4, 30, 4, 30));
  EXPECT_THAT(played(std::vector<float>{7}, 1, 3), ElementsAre(7)) << "one row stays";
  EXPECT_TRUE(played({}, 2, 2).empty());
  EXPECT_THROW(played(rows, 2, 0), Error);
}

TEST(SoundFeatures, AreThoseOfTorchaudioAndLibrosa) {
  const auto cases = test::read_fixture("sound_features", {&test::forced("reference"), DType::f64});
  EXPECT_EQ(cases.size(), 8U);
  for (const test::FixtureCase& peer : cases) {
    const auto [form, count] = form_of(peer.name);
    const SoundFeatures features(form);
    const std::vector<float> rows = features(made_up_recording(count));
    const Tensor& expected = peer.tensor("rows");
    ASSERT_EQ(features.frames(count), expected.size(0)) << peer.name;
    ASSERT_EQ(features.width(), expected.size(1)) << peer.name;
    EXPECT_TRUE(test::close(std::vector<double>(rows.begin(), rows.end()), expected.values(),
                            {.relative = 1e-4, .absolute = 1e-4}))
        << peer.name;
  }
}

/// The sounds of tools/fixtures/made_sounds.py.
std::vector<float> made_sound(uint32_t seed, int64_t count) {
  uint32_t state = seed;
  int64_t level = 0;
  std::vector<float> samples;
  const auto floored = [](int64_t number, int64_t by) {
    return (number - (number % by + by) % by) / by;
  };
  for (int64_t n = 0; n < count; ++n) {
    state = state * 1664525U + 1013904223U;
    level = floored(level * 7 + (state >> 16) - 32'768, 8);
    const int64_t swell = 200 + std::abs(n % 1600 - 800);
    const int64_t tone = n / (4 + 3 * (seed % 9)) % 2 == 1 ? 6000 : -6000;
    samples.push_back(static_cast<float>(floored(level * swell, 1000) + tone) / 32'768.F);
  }
  return samples;
}

/// Against the feature extractor of transformers, with 80 and 128 filters, in a second of which a
/// part is silence (tools/fixtures/imported.py whisper whisper-whole).
TEST(SoundFeatures, AreThoseOfWhisper) {
  for (const auto& [name, filters] : {std::pair{"whisper", 80}, std::pair{"whisper-whole", 128}}) {
    const std::string path =
        std::string(HEED_SOURCE_DIR "/tests/fixtures/imported/") + name + "/said.json";
    const Json said = parse_json(read_file(path), path);
    const JsonReader peer = JsonReader(said, path).at("features");
    FeatureForm form = feature_preset("whisper");
    form.mel.filters = filters;
    form.least_samples = 16'000;
    const SoundFeatures features(form);
    const auto sound = peer.at("sound").items();
    const std::vector<float> rows =
        features(made_sound(static_cast<uint32_t>(sound[0].integer()), sound[1].integer()));
    ASSERT_EQ(rows.size(), static_cast<std::size_t>(100 * filters));
    EXPECT_EQ(features.frames(sound[1].integer()), 100);
    EXPECT_EQ(features.frames(16'800), 105);
    const auto numbers = peer.at("rows").items();
    const auto values = peer.at("values").items();
    ASSERT_EQ(values.size(), 8U);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto first = static_cast<std::size_t>(numbers[i].integer() * filters);
      ASSERT_EQ(values[i].size(), static_cast<std::size_t>(filters));
      for (std::size_t j = 0; j < values[i].size(); ++j) {
        EXPECT_NEAR(rows[first + j], values[i].at(j).number(), 1e-4)
            << name << " " << i << " " << j;
      }
    }
  }
}

TEST(Fourier, IsTheSumOfItsDefinition) {
  RealFourier fourier(12);
  std::vector<float> x;
  for (int n = 0; n < 12; ++n) {
    x.push_back(static_cast<float>(n * n % 7) - 3);
  }
  std::vector<float> power(7);
  fourier.power(x, power);
  for (int k = 0; k <= 6; ++k) {
    double real = 0;
    double imaginary = 0;
    for (int n = 0; n < 12; ++n) {
      const double angle = 2 * std::numbers::pi * k * n / 12;
      real += x[n] * std::cos(angle);
      imaginary -= x[n] * std::sin(angle);
    }
    EXPECT_NEAR(power[k], real * real + imaginary * imaginary, 1e-4) << k;
  }
  EXPECT_THROW(RealFourier(7), Error) << "odd";
  EXPECT_THROW(fourier.power(power, x), Error) << "of other sizes";
}

TEST(Windows, HaveTheirValuesByHand) {
  EXPECT_THAT(window_of(WindowKind::hann, 4, true),
              Pointwise(FloatNear(1e-7F), {0.F, 0.5F, 1.F, 0.5F}));
  EXPECT_THAT(window_of(WindowKind::hann, 5, false),
              Pointwise(FloatNear(1e-7F), {0.F, 0.5F, 1.F, 0.5F, 0.F}));
  EXPECT_THAT(window_of(WindowKind::hamming, 3, false),
              Pointwise(FloatNear(1e-7F), {0.08F, 1.F, 0.08F}));
  EXPECT_THAT(window_of(WindowKind::rectangular, 2, true), ElementsAre(1, 1));
  EXPECT_NEAR(window_of(WindowKind::povey, 5, false)[1], std::pow(0.5, 0.85), 1e-7);
}

TEST(Spectrum, CountsItsFrames) {
  const FrameForm base = {.window_samples = 400, .hop_samples = 160};
  FrameForm tail = base;
  tail.framing = Framing::tail;
  FrameForm centred = base;
  centred.framing = Framing::centred;
  const std::vector<std::vector<int64_t>> table = {{0, 0, 0, 0},   {1, 0, 1, 1},   {399, 0, 1, 3},
                                                   {400, 1, 2, 3}, {559, 1, 2, 4}, {560, 2, 3, 4}};
  for (const auto& row : table) {
    EXPECT_EQ(Spectrum(base).frames(row[0]), row[1]) << row[0];
    EXPECT_EQ(Spectrum(tail).frames(row[0]), row[2]) << row[0];
    EXPECT_EQ(Spectrum(centred).frames(row[0]), row[3]) << row[0];
    for (const FrameForm& form : {base, tail, centred}) {
      const Spectrum spectrum(form);
      EXPECT_EQ(spectrum(std::vector<float>(static_cast<std::size_t>(row[0]), 1)).size(),
                static_cast<std::size_t>(spectrum.frames(row[0]) * spectrum.bins()));
    }
  }
}

TEST(Spectrum, MirrorsWithoutRepeatingTheEnds) {
  // One frame centred at the first of three samples: … 3 2 1 2 3 2 1 …
  const Spectrum spectrum({.window_samples = 8,
                           .hop_samples = 100,
                           .fft = 8,
                           .window = WindowKind::rectangular,
                           .framing = Framing::centred,
                           .beyond = Beyond::mirrored});
  const auto power = spectrum(std::vector<float>{1, 2, 3});
  const double sum = 1 + 2 + 3 + 2 + 1 + 2 + 3 + 2;  // samples −4 … 3
  EXPECT_NEAR(power[0], sum * sum, 1e-3);
}

TEST(Mel, ScalesAgreeWithTheirInverses) {
  EXPECT_NEAR(mel_of_hertz(MelScale::htk, 1000), 999.9855, 1e-4);
  EXPECT_NEAR(mel_of_hertz(MelScale::slaney, 500), 7.5, 1e-12);
  EXPECT_NEAR(mel_of_hertz(MelScale::slaney, 6400), 42, 1e-12);
  for (const MelScale scale : {MelScale::htk, MelScale::slaney}) {
    for (const double hertz : {0.0, 100.0, 999.0, 1001.0, 7000.0}) {
      EXPECT_NEAR(hertz_of_mel(scale, mel_of_hertz(scale, hertz)), hertz, 1e-8);
    }
  }
}

TEST(FrameSteps, AreWorkedByHand) {
  const std::vector<float> rows = {1, 2, 4, 8};
  // Reach 1: (x_{t+1} − x_{t−1}) / 2, the ends repeated.
  EXPECT_THAT(with_deltas(rows, 1, 1, 1), ElementsAre(1, 0.5, 2, 1.5, 4, 3, 8, 2));
  EXPECT_THAT(spliced(rows, 2, 1, 1), ElementsAre(1, 2, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8));
  std::vector<float> changed = rows;
  normalise(changed, 2, FrameNorm::mean);
  EXPECT_THAT(changed, ElementsAre(-1.5, -3, 1.5, 3));
  normalise(changed, 2, FrameNorm::mean_and_variance);
  EXPECT_THAT(changed, Pointwise(FloatNear(1e-6F), {-1.F, -1.F, 1.F, 1.F}));
}

TEST(SoundFeatures, ImpossibleFormsAreRefused) {
  FeatureForm form = feature_preset("log_mel");
  form.mel.high_hertz = 9000;
  EXPECT_THROW(SoundFeatures{form}, Error) << "beyond half of the rate";
  form = feature_preset("log_mel");
  form.frames.window_samples = 600;
  EXPECT_THROW(SoundFeatures{form}, Error) << "longer than the transform";
  form = feature_preset("sphinx");
  form.cepstra.count = 41;
  EXPECT_THROW(SoundFeatures{form}, Error) << "more cepstra than filters";
  EXPECT_THROW(feature_preset("sphinks"), Error);
}

TEST(SoundFeatures, SilenceIsFinite) {
  for (const std::string& name : feature_presets()) {
    for (const float row : SoundFeatures(feature_preset(name))(std::vector<float>(5000))) {
      ASSERT_TRUE(std::isfinite(row)) << name;
    }
  }
}

}  // namespace
}  // namespace heed::sound_features_test
