// Dialled digits as a telephone sounds them: each key is a pair of tones (DTMF, ITU-T Q.23), here with
// gaps, in white noise.
//
//            1209  1336  1477 Hz        x(t) = A (sin 2πf_r t + sin 2πf_c t) · ramp, A = ¼, while a key
//    697 Hz    1     2     3                   is down; the ramp is a raised cosine of 5 ms at both ends
//    770 Hz    4     5     6            noise: normal, its power 10^(−dB/10) of that of a key
//    852 Hz    7     8     9
//    941 Hz          0
//
// A text describes it completely, so that no file is needed:
//
//   tones:1450ms,6dB,#123,5@120+80,3@310+75     1.45 s, noise number 123 at 6 dB; the 5 begins at
//                                               0.12 s and lasts 0.08 s, …
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heed/media/sound.h"

namespace heed {

struct Key {
  char digit = '0';
  int32_t start_ms = 0;
  int32_t length_ms = 0;
};

struct Dialling {
  static constexpr int32_t rate = 8000;

  int32_t length_ms = 0;
  int32_t noise_db = 0;       // how much louder a key is than the noise
  uint32_t noise_number = 0;  // which noise
  std::vector<Key> keys;      // in the order of their starts, without overlap

  int64_t samples() const { return int64_t{length_ms} * rate / 1000; }
};

/// Whether a text begins as the description of dialled digits does.
bool is_dialling(std::string_view text);
/// Reads a description; Fault::file says what is wrong with it.
Dialling dialling_of(std::string_view text);
std::string text_of(const Dialling& dialling);

/// The sound itself: the same on every machine up to rounding.
Sound sound_of(const Dialling& dialling);

}  // namespace heed
