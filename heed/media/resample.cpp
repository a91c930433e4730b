#include "heed/media/resample.h"

#include <soxr.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "heed/base/allowance.h"
#include "heed/base/error.h"

namespace heed {
namespace {

double counted(double count, double from, double to) {
  return count == 0 ? 0 : std::max(1.0, std::round(count * to / from));
}

/// n · to / from samples, rounded, from `samples` as if they had `from` a second.
std::vector<float> converted(const std::vector<float>& samples, double from, double to) {
  if (samples.empty()) {
    return {};
  }
  const double wanted = counted(static_cast<double>(samples.size()), from, to);
  require(wanted < 0x1p33, "resample: saw {} samples for a rate {:g} times as high, needs fewer",
          samples.size(), to / from);
  const HeldBytes held(static_cast<std::size_t>(wanted) * sizeof(float));
  std::vector<float> out(static_cast<std::size_t>(wanted));
  const soxr_quality_spec_t quality = soxr_quality_spec(SOXR_HQ, 0);
  const soxr_runtime_spec_t runtime = soxr_runtime_spec(1);
  soxr_error_t fault = nullptr;
  const std::unique_ptr<soxr, void (*)(soxr_t)> converter(
      soxr_create(from, to, 1, &fault, nullptr, &quality, &runtime), soxr_delete);
  constexpr std::size_t block = 1 << 16;
  std::size_t taken = 0;
  std::size_t done = 0;
  for (bool is_done = false; fault == nullptr && !is_done;) {
    check_goes_on();
    const std::size_t rest = samples.size() - taken;
    const float* const next = rest == 0 ? nullptr : samples.data() + taken;  // none: it flushes
    std::size_t used = 0;
    std::size_t made = 0;
    fault = soxr_process(converter.get(), next, std::min(block, rest), &used, out.data() + done,
                         std::min(block, out.size() - done), &made);
    taken += used;
    done += made;
    is_done = used == 0 && made == 0;
  }
  require(fault == nullptr,
          "resample: saw soxr's \"{}\" from {:g} to {:g} samples a second, needs rates "
          "that it can convert",
          fault == nullptr ? "" : fault, from, to);
  // Where soxr gives one fewer, the last stays 0: how many there are must not depend on it.
  return out;
}

}  // namespace

int64_t samples_at(int64_t count, int32_t from, int32_t to) {
  return static_cast<int64_t>(counted(static_cast<double>(count), from, to));
}

Sound resampled(Sound sound, int32_t rate) {
  require(sound.rate > 0 && rate > 0, "resample: saw rates of {} and {}, needs both above 0",
          sound.rate, rate);
  if (sound.rate == rate) {
    return sound;
  }
  return {rate, converted(sound.samples, sound.rate, rate)};
}

Sound sped_up(const Sound& sound, double factor) {
  require(factor >= 0.1 && factor <= 10, "speed: saw a factor of {:g}, needs 0.1 to 10", factor);
  if (factor == 1) {
    return sound;
  }
  return {sound.rate, converted(sound.samples, sound.rate * factor, sound.rate)};
}

}  // namespace heed
