// What happens to recordings in training, at random, by the example's key alone.
//
//   speed      a recording plays 1 − s … 1 + s times as fast, in steps of 1 %      (Ko 2015)
//   noise      a share of recordings gets white noise, `least` … `most` dB below the recording's power
//   masks      stretches of rows, and of columns, become the column's mean         (SpecAugment, Park 2019)
#pragma once

#include <cstdint>
#include <span>

#include "heed/base/philox.h"
#include "heed/config/described.h"
#include "heed/media/sound.h"

namespace heed {

class SoundChanges {
 public:
  /// Lists the settings for their owner.
  void describe(Describer& d);

  /// The factor at which a recording plays, and whether it gets noise.
  double drawn_speed(const RandomKey& key) const;
  bool draws_noise(const RandomKey& key) const;
  /// The recording, faster or slower, with noise.
  Sound changed(Sound sound, const RandomKey& key) const;
  /// Masks rows [T, width].
  void mask(std::span<float> rows, int64_t width, const RandomKey& key) const;

 private:
  double speed_ = 0;
  double noise_ = 0;
  double noise_least_db_ = 0;
  double noise_most_db_ = 20;
  int64_t masks_ = 0;
  int64_t mask_rows_ = 20;
  int64_t column_masks_ = 0;
  int64_t mask_columns_ = 10;
};

}  // namespace heed
