// The settings of a recording's features: a front end of others by name (media/sound_features.h), and
// what differs from it.
#pragma once

#include <string>

#include "heed/config/described.h"
#include "heed/media/sound_features.h"

namespace heed {

/// A window or scale may be the preset's.
enum class WindowChoice { preset, hann, hamming, povey, blackman, rectangular };
enum class ScaleChoice { preset, htk, slaney };

/// 0, or −1 where 0 means something, stands for the preset's value.
struct FeatureChoice {
  std::string preset = "log_mel";
  int64_t rate = 0;
  double window_ms = 0;
  double hop_ms = 0;
  WindowChoice window = WindowChoice::preset;
  double pre_emphasis = -1;
  int64_t filters = 0;
  ScaleChoice scale = ScaleChoice::preset;
  double low_hertz = -1;
  double high_hertz = 0;
  int64_t cepstra = 0;
  int64_t deltas = 0;
  int64_t splice = 0;
  double fill_seconds = 0;

  /// Lists the settings for their owner.
  void describe(Describer& d);
  FeatureForm form() const;
};

}  // namespace heed
