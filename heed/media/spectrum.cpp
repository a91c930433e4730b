#include "heed/media/spectrum.h"

#include <algorithm>

#include "heed/base/allowance.h"
#include "heed/base/error.h"
#include "heed/media/fourier.h"

namespace heed {

Spectrum::Spectrum(const FrameForm& form) : form_(form) {
  constexpr int64_t most = 1 << 20;
  if (!(form.window_samples >= 1 && form.hop_samples >= 1 && form.hop_samples <= most &&
        form.fft >= 2 && form.fft <= most && form.fft % 2 == 0 &&
        form.window_samples <= form.fft)) {
    fail(Fault::usage,
         "spectrum: a window of {} samples, a hop of {} and a transform of {} do not go together; "
         "take at least one sample each, and an even transform (at most {}) that holds the window",
         form.window_samples, form.hop_samples, form.fft, most);
  }
  window_ = window_of(form.window, form.window_samples, form.is_periodic);
}

int64_t Spectrum::frames(int64_t samples) const {
  if (samples <= 0) {
    return 0;
  }
  if (form_.framing == Framing::centred) {
    return (form_.drops_last ? 0 : 1) + samples / form_.hop_samples;
  }
  const int64_t whole =
      samples < form_.window_samples ? 0 : 1 + (samples - form_.window_samples) / form_.hop_samples;
  const bool has_rest = form_.framing == Framing::tail && samples > whole * form_.hop_samples;
  return whole + (has_rest ? 1 : 0);
}

std::vector<float> Spectrum::emphasised(std::span<const float> samples) const {
  std::vector<float> y(samples.begin(), samples.end());
  if (form_.framing == Framing::tail) {
    y.resize(y.size() + static_cast<std::size_t>(form_.window_samples));
  }
  if (form_.scale != 1) {
    for (float& sample : y) {
      sample *= static_cast<float>(form_.scale);
    }
  }
  if (form_.pre_emphasis != 0 && !form_.frame_by_frame) {
    const auto p = static_cast<float>(form_.pre_emphasis);
    for (std::size_t i = y.size(); i-- > 1;) {
      y[i] -= p * y[i - 1];
    }
  }
  return y;
}

float Spectrum::at(std::span<const float> y, int64_t i) const {
  const auto size = static_cast<int64_t>(y.size());
  if (i < 0 || i >= size) {
    if (form_.beyond == Beyond::silent || size < 2) {
      return 0;
    }
    const int64_t period = 2 * (size - 1);
    i = (i % period + period) % period;
    i = i < size ? i : period - i;
  }
  return y[static_cast<std::size_t>(i)];
}

void Spectrum::take_frame(std::span<const float> y, int64_t first, std::span<float> frame) const {
  const std::size_t size = window_.size();
  if (first >= 0 && first + form_.window_samples <= static_cast<int64_t>(y.size())) {
    std::copy_n(y.begin() + first, size, frame.begin());
  } else {
    for (std::size_t n = 0; n < size; ++n) {
      frame[n] = at(y, first + static_cast<int64_t>(n));
    }
  }
  if (form_.frame_by_frame) {
    double sum = 0;
    for (std::size_t n = 0; n < size; ++n) {
      sum += frame[n];
    }
    const auto mean = static_cast<float>(sum / static_cast<double>(size));
    const auto p = static_cast<float>(form_.pre_emphasis);
    for (std::size_t n = size; n-- > 0;) {
      frame[n] = frame[n] - mean - p * (frame[n == 0 ? 0 : n - 1] - mean);
    }
  }
  for (std::size_t n = 0; n < size; ++n) {
    frame[n] *= window_[n];
  }
}

std::vector<float> Spectrum::operator()(std::span<const float> samples) const {
  const int64_t count = frames(static_cast<int64_t>(samples.size()));
  const auto width = static_cast<std::size_t>(bins());
  const HeldBytes held((static_cast<std::size_t>(count) * width + samples.size()) * sizeof(float));
  std::vector<float> power(static_cast<std::size_t>(count) * width);
  const std::vector<float> y = emphasised(samples);
  RealFourier fourier(form_.fft);
  std::vector<float> frame(static_cast<std::size_t>(form_.fft));  // zeros behind the window
  // A centred frame has the window in the middle of the transform, as PyTorch and librosa have it.
  const int64_t before = form_.framing == Framing::centred
                             ? form_.fft / 2 - (form_.fft - form_.window_samples) / 2
                             : 0;
  for (int64_t t = 0; t < count; ++t) {
    check_goes_on();
    take_frame(y, t * form_.hop_samples - before, frame);
    fourier.power(frame, std::span(power).subspan(static_cast<std::size_t>(t) * width, width));
  }
  return power;
}

}  // namespace heed
