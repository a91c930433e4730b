// Short-time power spectra: overlapping frames of a recording, each faded by a window and transformed.
//
//   y_n   = a (x_n − p x_{n−1})                       scale a, pre-emphasis p, over the recording
//   P_tk  = |Σ_n w_n y_{tH + n + o} e^(−2πikn/N)|²    frame t, hop H, window w of W samples, FFT size N
//
// Frames lie in the recording in one of three ways:
//
//   inside   only frames that lie whole in it: 1 + ⌊(n − W)/H⌋            (Kaldi's snip_edges)
//   tail     those and, for the samples that remain, one filled with zeros          (Sphinx)
//   centred  frame t is centred at sample tH, 1 + ⌊n/H⌋ of them; beyond its ends the recording is
//            mirrored (PyTorch) or silent (librosa); the last may be dropped (Whisper)
//
// Kaldi's order within a frame may be chosen as well: its mean is removed, and pre-emphasis acts on the
// frame alone, y_0 = (1 − p) x_0.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/media/window.h"

namespace heed {

enum class Framing { inside, tail, centred };
enum class Beyond { silent, mirrored };

struct FrameForm {
  int64_t window_samples = 400;
  int64_t hop_samples = 160;
  int64_t fft = 512;
  WindowKind window = WindowKind::hann;
  bool is_periodic = true;
  Framing framing = Framing::inside;
  Beyond beyond = Beyond::silent;  // where frames are centred
  bool drops_last = false;         // the same: only ⌊n/H⌋ of them
  double scale = 1;
  double pre_emphasis = 0;
  bool frame_by_frame = false;  // removes each frame's mean and emphasises within the frame

  bool operator==(const FrameForm&) const = default;
};

class Spectrum {
 public:
  /// Fault::usage where the form cannot be: sizes below 1, a window larger than the FFT.
  explicit Spectrum(const FrameForm& form);

  int64_t bins() const { return form_.fft / 2 + 1; }
  /// How many frames a recording of so many samples has.
  int64_t frames(int64_t samples) const;
  /// The spectra [frames, bins], row by row. Safe to call from several threads.
  std::vector<float> operator()(std::span<const float> samples) const;

 private:
  std::vector<float> emphasised(std::span<const float> samples) const;
  /// Sample i of y, which may lie beyond its ends.
  float at(std::span<const float> y, int64_t i) const;
  void take_frame(std::span<const float> y, int64_t first, std::span<float> frame) const;

  FrameForm form_;
  std::vector<float> window_;
};

}  // namespace heed
