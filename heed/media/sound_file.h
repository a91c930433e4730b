// Sound files, decoded from bytes in memory by libsndfile: WAV (every width of PCM, float, A-law and
// the like), RF64, FLAC, Ogg with Vorbis or Opus, AIFF, AU and NIST SPHERE, at any rate, with any
// number of channels, which are averaged to one.
//
// A header is never believed before memory is taken: a file that claims more seconds than allowed is
// refused at once, and samples are decoded block by block until the limit. Every fault is an Error
// (Fault::file) that names the file.
//
// libsndfile is linked as other libraries are. With its codecs it lengthens the start of a program
// by about 0.4 ms, soxr and kissfft by another 0.2 ms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "heed/media/sound.h"

namespace heed {

/// A stretch of a recording in seconds; an end beyond the recording's means its end.
struct SoundStretch {
  double start = 0;
  double end = std::numeric_limits<double>::infinity();

  bool is_whole() const { return start == 0 && end == std::numeric_limits<double>::infinity(); }
};

struct SoundLimits {
  double most_seconds = 3600;  // of the stretch that is decoded
};

/// The lowest and highest rate of a file that is read.
inline constexpr int32_t least_sound_rate = 1000;
inline constexpr int32_t most_sound_rate = 192'000;

/// Decodes the file `bytes`, which messages call `name`.
Sound decode_sound(std::span<const std::byte> bytes, const std::string& name,
                   const SoundStretch& stretch = {}, const SoundLimits& limits = {});

/// How loud a recording is over time: the mean square of the samples of each block.
struct SoundLevels {
  double block_seconds = 0.01;
  std::vector<float> power = {};

  double seconds() const { return block_seconds * static_cast<double>(power.size()); }
};

/// The seconds that the file says it has; infinite where it does not say.
double sound_seconds(std::span<const std::byte> bytes, const std::string& name);

/// The levels of a whole file, however long, without keeping its samples.
SoundLevels sound_levels(std::span<const std::byte> bytes, const std::string& name);

}  // namespace heed
