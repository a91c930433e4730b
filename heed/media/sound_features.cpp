#include "heed/media/sound_features.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "heed/base/allowance.h"
#include "heed/base/error.h"

namespace heed {
namespace {

constexpr double kaldi_floor = 0x1p-23;  // the distance from 1 to the next float

FeatureForm log_mel() {
  return {.frames = {.window_samples = 400, .hop_samples = 160, .fft = 512},
          .mel = {.filters = 80, .scale = MelScale::slaney, .has_equal_areas = true}};
}

FeatureForm kaldi_fbank() {
  return {.frames = {.window_samples = 400,
                     .hop_samples = 160,
                     .fft = 512,
                     .window = WindowKind::povey,
                     .is_periodic = false,
                     .pre_emphasis = 0.97,
                     .frame_by_frame = true},
          .mel = {.filters = 80, .low_hertz = 20, .sides = MelSides::mel},
          .loudness = {.floor = kaldi_floor}};
}

FeatureForm kaldi_mfcc() {
  FeatureForm form = kaldi_fbank();
  form.mel.filters = 23;
  form.cepstra = {.count = 13, .lifter = 22};
  return form;
}

FeatureForm torchaudio_mfcc() {
  return {.frames = {.window_samples = 400,
                     .hop_samples = 200,
                     .fft = 400,
                     .framing = Framing::centred,
                     .beyond = Beyond::mirrored},
          .mel = {.filters = 128},
          .loudness = {.kind = Loudness::decibel, .range = 80},
          .cepstra = {.count = 40}};
}

FeatureForm librosa_mel() {
  return {.rate = 22'050,
          .frames = {.window_samples = 2048,
                     .hop_samples = 512,
                     .fft = 2048,
                     .framing = Framing::centred},
          .mel = {.filters = 128, .scale = MelScale::slaney, .has_equal_areas = true},
          .loudness = {.kind = Loudness::decibel, .range = 80}};
}

FeatureForm librosa_mfcc() {
  FeatureForm form = librosa_mel();
  form.cepstra = {.count = 20};
  return form;
}

FeatureForm sphinx() {
  return {.frames = {.window_samples = 410,
                     .hop_samples = 160,
                     .fft = 512,
                     .window = WindowKind::hamming,
                     .is_periodic = false,
                     .framing = Framing::tail,
                     .scale = 32'768,
                     .pre_emphasis = 0.97},
          .mel = {.filters = 40,
                  .low_hertz = 130,
                  .high_hertz = 6800,
                  .has_equal_areas = true,
                  .rounds_edges = true},
          .loudness = {.floor = 1e-4},
          .cepstra = {.count = 13, .cosine = CosineForm::legacy}};
}

FeatureForm whisper() {
  return {.frames = {.window_samples = 400,
                     .hop_samples = 160,
                     .fft = 400,
                     .framing = Framing::centred,
                     .beyond = Beyond::mirrored,
                     .drops_last = true},
          .mel = {.filters = 80, .scale = MelScale::slaney, .has_equal_areas = true},
          .loudness = {.kind = Loudness::decibel, .range = 80, .gain = 1 / 40.0, .offset = 1}};
}

using Preset = std::pair<std::string_view, FeatureForm (*)()>;
constexpr std::array<Preset, 8> presets = {{{"log_mel", log_mel},
                                            {"kaldi_fbank", kaldi_fbank},
                                            {"kaldi_mfcc", kaldi_mfcc},
                                            {"torchaudio_mfcc", torchaudio_mfcc},
                                            {"librosa_mel", librosa_mel},
                                            {"librosa_mfcc", librosa_mfcc},
                                            {"sphinx", sphinx},
                                            {"whisper", whisper}}};

}  // namespace

std::vector<std::string> feature_presets() {
  std::vector<std::string> names;
  for (const Preset& preset : presets) {
    names.emplace_back(preset.first);
  }
  return names;
}

FeatureForm feature_preset(const std::string& name) {
  for (const Preset& preset : presets) {
    if (preset.first == name) {
      return preset.second();
    }
  }
  fail(Fault::usage, "features of sound: there is no preset \"{}\"; choose one of those there are",
       name);
}

SoundFeatures::SoundFeatures(const FeatureForm& form)
    : form_(form), spectrum_(form.frames), filters_(form.mel, form.rate, form.frames.fft) {
  if (form.cepstra.count > 0) {
    cepstra_.emplace_back(form.cepstra, form.mel.filters);
  }
}

int64_t SoundFeatures::width() const {
  return unspliced_width() * (form_.splice_left + 1 + form_.splice_right);
}

void SoundFeatures::make_loud(std::span<float> sums) const {
  const LoudnessForm& how = form_.loudness;
  if (how.kind == Loudness::linear) {
    return;
  }
  const auto floor = static_cast<float>(how.floor);
  const float factor = how.kind == Loudness::decibel ? 10 / std::log(10.0F) : 1;
  float loudest = -std::numeric_limits<float>::infinity();
  for (float& sum : sums) {
    sum = factor * std::log(std::max(sum, floor));
    loudest = std::max(loudest, sum);
  }
  if (how.range > 0) {
    const float least = loudest - static_cast<float>(how.range);
    for (float& sum : sums) {
      sum = std::max(sum, least);
    }
  }
  if (how.gain != 1 || how.offset != 0) {
    for (float& sum : sums) {
      sum = sum * static_cast<float>(how.gain) + static_cast<float>(how.offset);
    }
  }
}

std::vector<float> SoundFeatures::operator()(std::span<const float> samples,
                                             const FrameScale* scale) const {
  std::vector<float> filled;
  if (static_cast<int64_t>(samples.size()) < form_.least_samples) {
    filled.assign(samples.begin(), samples.end());
    filled.resize(static_cast<std::size_t>(form_.least_samples));
    samples = filled;
  }
  const HeldBytes held_samples(filled.size() * sizeof(float));
  const std::vector<float> power = spectrum_(samples);
  const auto bins = static_cast<std::size_t>(spectrum_.bins());
  const auto filters = static_cast<std::size_t>(filters_.count());
  const std::size_t count = power.size() / bins;
  const HeldBytes held((power.size() + count * filters) * sizeof(float));
  std::vector<float> rows(count * filters);
  for (std::size_t t = 0; t < count; ++t) {
    check_goes_on();
    filters_.sum(std::span(power).subspan(t * bins, bins),
                 std::span(rows).subspan(t * filters, filters));
  }
  make_loud(rows);
  if (!cepstra_.empty()) {
    rows = cepstra_.front()(rows);
  }
  if (form_.delta_order > 0) {
    rows = with_deltas(rows, base_width(), form_.delta_reach, form_.delta_order);
  }
  const int64_t width = unspliced_width();
  if (scale != nullptr) {
    normalise(rows, *scale);
  } else {
    normalise(rows, width, form_.norm);
  }
  if (form_.splice_left > 0 || form_.splice_right > 0) {
    rows = spliced(rows, width, form_.splice_left, form_.splice_right);
  }
  return rows;
}

}  // namespace heed
