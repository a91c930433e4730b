// What a model heard and when: the spectrogram, under it the weights of every word, a row each, and under
// these the time in seconds. All three share the axis, so that a word lies under its sound.
//
//   spectrogram   the rows of features that the model reads, low numbers below; the least of all is drawn
//                 light, the largest dark
//   weights       darker = more weight, each row from 0 to its own largest
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/see/canvas.h"
#include "heed/see/svg.h"
#include "heed/see/terminal.h"

namespace heed {

struct SoundSheet {
  std::vector<float> features;  // [frames, bands]
  int64_t bands = 0;
  double start = 0;  // seconds at which the features begin,
  double end = 0;    // and end
  std::vector<std::string> words;
  std::vector<double> slots;   // when each slot begins, and when the last ends; S + 1 numbers
  std::vector<float> weights;  // [words, S]
  std::string title = {};

  int64_t frames() const { return static_cast<int64_t>(features.size()) / bands; }
};

/// How dark each place of a sheet is.
class SoundShades {
 public:
  explicit SoundShades(const SoundSheet& sheet);
  /// A place of the spectrogram, in [0, 1].
  double sound_at(double second, double band) const;
  /// A moment of a word's row, in [0, 1]; 0 outside the slots.
  double weight_at(size_t word, double second) const;
  /// A stretch of a word's row: as dark as the darkest slot whose middle lies in it, or as its own middle.
  double weight_in(size_t word, double from, double until) const;

 private:
  const SoundSheet& sheet_;
  float least_ = 0;  // of the features
  float most_ = 0;
  std::vector<float> heaviest_;  // weight of each word
};

Canvas painted(const SoundSheet& sheet);
std::string draw_png(const SoundSheet& sheet);
SvgPart svg_part(const SoundSheet& sheet);
std::string draw_svg(const SoundSheet& sheet);
/// Lines, each ended by a newline.
std::string draw_terminal(const SoundSheet& sheet, const TerminalStyle& style);

/// The times that the axis names: multiples of 1, 2 or 5 times a power of ten, at most about `most`.
std::vector<double> ticks(double start, double end, int most);

}  // namespace heed
