// From a recording to rows of features: log-mel or cepstra, with deltas, splicing and normalisation.
//
//   samples → power spectra → mel sums → log → [cosine transform] → [deltas] → [normalise] → [splice]
//
// A preset is the settings of a front end that others use, so that models and features agree:
//
//   log_mel           80 filters (Slaney), 25 ms Hann windows, 10 ms apart, at 16 kHz
//   kaldi_fbank       Kaldi's and torchaudio.compliance.kaldi's fbank, 80 filters, without dither
//   kaldi_mfcc        their mfcc: 13 of 23 filters
//   torchaudio_mfcc   torchaudio.transforms.MFCC(sample_rate=16000): 40 of 128 filters, in decibels
//   librosa_mel       librosa.power_to_db(librosa.feature.melspectrogram(…)), at 22 050 Hz
//   librosa_mfcc      librosa.feature.mfcc(…): 20 of 128 filters, at 22 050 Hz
//   sphinx            CMU Sphinx as it made the cepstra of AN4: 13 of 40 filters, 130 to 6800 Hz
//   whisper           Whisper's: 80 filters (Slaney), at most 80 dB below the loudest, dB / 40 + 1
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/media/cepstra.h"
#include "heed/media/frame_scale.h"
#include "heed/media/frame_steps.h"
#include "heed/media/mel.h"
#include "heed/media/sound.h"
#include "heed/media/spectrum.h"

namespace heed {

/// How a filter's sum x becomes a number: x, ln max(x, floor) or 10 log₁₀ max(x, floor), and that
/// times gain, plus offset.
enum class Loudness { linear, natural, decibel };

struct LoudnessForm {
  Loudness kind = Loudness::natural;
  double floor = 1e-10;
  double range = 0;  // nothing lies further than this below the recording's loudest; 0: no limit
  double gain = 1;
  double offset = 0;

  bool operator==(const LoudnessForm&) const = default;
};

struct FeatureForm {
  int64_t rate = 16'000;
  FrameForm frames = {};
  MelForm mel = {};
  LoudnessForm loudness = {};
  CepstraForm cepstra = {};
  int64_t delta_reach = 2;
  int64_t delta_order = 0;  // 0: no deltas
  FrameNorm norm = FrameNorm::none;
  int64_t splice_left = 0;
  int64_t splice_right = 0;
  int64_t least_samples = 0;  // a shorter recording is followed by silence

  bool operator==(const FeatureForm&) const = default;
};

/// The names of presets, in the order above.
std::vector<std::string> feature_presets();
FeatureForm feature_preset(const std::string& name);

class SoundFeatures {
 public:
  explicit SoundFeatures(const FeatureForm& form);

  int64_t rate() const { return form_.rate; }
  /// Numbers in a row.
  int64_t width() const;
  int64_t frames(int64_t samples) const {
    return spectrum_.frames(std::max(samples, form_.least_samples));
  }
  /// Rows a second.
  double frame_rate() const {
    return static_cast<double>(form_.rate) / static_cast<double>(form_.frames.hop_samples);
  }
  /// Rows [frames, width] of a recording at `rate`, normalised by `scale` if there is one, otherwise as the
  /// form says. Safe to call from several threads.
  std::vector<float> operator()(std::span<const float> samples,
                                const FrameScale* scale = nullptr) const;
  /// Numbers in a row before rows are spliced: what a scale has.
  int64_t unspliced_width() const { return base_width() * (form_.delta_order + 1); }

 private:
  int64_t base_width() const {
    return form_.cepstra.count > 0 ? form_.cepstra.count : form_.mel.filters;
  }
  void make_loud(std::span<float> sums) const;

  FeatureForm form_;
  Spectrum spectrum_;
  MelFilters filters_;
  std::vector<Cepstra> cepstra_;  // one or none
};

}  // namespace heed
