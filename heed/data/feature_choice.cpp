#include "heed/data/feature_choice.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "heed/media/sound_file.h"

namespace heed {

void FeatureChoice::describe(Describer& d) {
  d.setting("features", preset,
            {.help = "the front end whose settings apply where none below is given",
             .choices = feature_presets()});
  d.setting("rate", rate,
            {.help = "samples a second; 0: the front end's", .least = 0, .most = most_sound_rate});
  d.setting("window_ms", window_ms,
            {.help = "milliseconds of a frame; 0: the front end's", .least = 0, .most = 1000});
  d.setting(
      "hop_ms", hop_ms,
      {.help = "milliseconds from frame to frame; 0: the front end's", .least = 0, .most = 1000});
  d.setting("window", window,
            {{"preset", WindowChoice::preset},
             {"hann", WindowChoice::hann},
             {"hamming", WindowChoice::hamming},
             {"povey", WindowChoice::povey},
             {"blackman", WindowChoice::blackman},
             {"rectangular", WindowChoice::rectangular}},
            {"how a frame fades in and out"});
  d.setting("pre_emphasis", pre_emphasis,
            {.help = "share of a sample that is subtracted from the next; −1: the front end's",
             .least = -1,
             .most = 1});
  d.setting("filters", filters,
            {.help = "mel filters; 0: the front end's", .least = 0, .most = 1024});
  d.setting(
      "scale", scale,
      {{"preset", ScaleChoice::preset}, {"htk", ScaleChoice::htk}, {"slaney", ScaleChoice::slaney}},
      {"the mel scale of the filters"});
  d.setting("low_hertz", low_hertz,
            {.help = "where the filters begin; −1: the front end's", .least = -1, .most = 1e5});
  d.setting("high_hertz", high_hertz,
            {.help = "where the filters end; 0: the front end's", .least = 0, .most = 1e5});
  d.setting("cepstra", cepstra,
            {.help = "cepstra of each frame; 0: the front end's", .least = 0, .most = 1024});
  d.setting("deltas", deltas,
            {.help = "append differences over time this many times", .least = 0, .most = 2});
  d.setting(
      "splice", splice,
      {.help = "frames joined to each from its left and from its right", .least = 0, .most = 20});
  d.setting("fill_seconds", fill_seconds,
            {.help = "silence follows a recording that is shorter than this; 0: none does",
             .least = 0,
             .most = 120});
}

FeatureForm FeatureChoice::form() const {
  FeatureForm form = feature_preset(preset);
  const auto samples = [&form, this](double ms, int64_t of_preset) {
    const double seconds =
        ms > 0 ? ms / 1000 : static_cast<double>(of_preset) / static_cast<double>(form.rate);
    const auto wanted = static_cast<double>(rate > 0 ? rate : form.rate);
    return std::max<int64_t>(1, std::llround(seconds * wanted));
  };
  FrameForm& frames = form.frames;
  const int64_t window_samples = samples(window_ms, frames.window_samples);
  frames.hop_samples = samples(hop_ms, frames.hop_samples);
  if (window_samples != frames.window_samples) {
    frames.window_samples = window_samples;
    for (frames.fft = 2; frames.fft < window_samples;) {
      frames.fft *= 2;
    }
  }
  form.rate = rate > 0 ? rate : form.rate;
  constexpr std::array kinds = {WindowKind::hann,  WindowKind::hann,     WindowKind::hamming,
                                WindowKind::povey, WindowKind::blackman, WindowKind::rectangular};
  if (window != WindowChoice::preset) {
    frames.window = kinds[static_cast<std::size_t>(window)];
  }
  frames.pre_emphasis = pre_emphasis >= 0 ? pre_emphasis : frames.pre_emphasis;
  form.mel.filters = filters > 0 ? filters : form.mel.filters;
  if (scale != ScaleChoice::preset) {
    form.mel.scale = scale == ScaleChoice::htk ? MelScale::htk : MelScale::slaney;
  }
  form.mel.low_hertz = low_hertz >= 0 ? low_hertz : form.mel.low_hertz;
  form.mel.high_hertz = high_hertz > 0 ? high_hertz : form.mel.high_hertz;
  form.cepstra.count = cepstra > 0 ? cepstra : form.cepstra.count;
  form.delta_order = deltas;
  form.splice_left = splice;
  form.splice_right = splice;
  form.least_samples = std::llround(fill_seconds * static_cast<double>(form.rate));
  return form;
}

}  // namespace heed
