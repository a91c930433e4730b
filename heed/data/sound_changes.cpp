#include "heed/data/sound_changes.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/base/error.h"
#include "heed/config/limits.h"
#include "heed/media/resample.h"

namespace heed {
namespace {

/// The draws of one kind of change.
Draws draws_for(RandomKey key, std::string_view change) {
  key.seed ^= stream_named(change);
  return Draws(key);
}

/// Of all rows together, column by column.
std::vector<float> column_means(std::span<const float> rows, std::size_t width) {
  std::vector<double> sums(width);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    sums[i % width] += rows[i];
  }
  std::vector<float> means;
  for (const double sum : sums) {
    means.push_back(
        static_cast<float>(sum * static_cast<double>(width) / static_cast<double>(rows.size())));
  }
  return means;
}

struct Stretch {
  std::size_t first = 0;
  std::size_t count = 0;
};

/// Up to `most` of `size` places, the number and the first drawn evenly.
Stretch drawn_stretch(const Draws& draws, uint64_t number, int64_t most, std::size_t size) {
  const uint64_t longest = std::min<uint64_t>(static_cast<uint64_t>(most), size);
  const std::size_t count = draws.below(2 * number, longest + 1);
  return {draws.below(2 * number + 1, size - count + 1), count};
}

}  // namespace

void SoundChanges::describe(Describer& d) {
  d.setting("speed", speed_,
            {.help = "in training a recording plays up to this share faster or slower",
             .least = 0,
             .most = 0.5});
  d.setting(
      "noise", noise_,
      {.help = "share of recordings that get white noise in training", .least = 0, .most = 1});
  d.setting("noise_least_db", noise_least_db_,
            {.help = "how far below a recording's power its noise lies at least",
             .least = -20,
             .most = 100});
  d.setting("noise_most_db", noise_most_db_,
            {.help = "how far below a recording's power its noise lies at most",
             .least = -20,
             .most = 100});
  d.setting("masks", masks_,
            {.help = "stretches of rows that are masked in training", .least = 0, .most = 1000});
  d.setting("mask_rows", mask_rows_,
            {.help = "most rows in such a stretch", .least = 0, .most = most_slots});
  d.setting("column_masks", column_masks_,
            {.help = "stretches of columns (filters) that are masked in training",
             .least = 0,
             .most = 1000});
  d.setting("mask_columns", mask_columns_,
            {.help = "most columns in such a stretch", .least = 0, .most = most_width});
}

double SoundChanges::drawn_speed(const RandomKey& key) const {
  const auto steps = static_cast<uint64_t>(std::llround(speed_ * 100));
  const auto drawn = static_cast<double>(draws_for(key, "speed").below(0, 2 * steps + 1));
  return 1 + (drawn - static_cast<double>(steps)) / 100;
}

bool SoundChanges::draws_noise(const RandomKey& key) const {
  return noise_ > 0 && draws_for(key, "noise").uniform_double(0) < noise_;
}

Sound SoundChanges::changed(Sound sound, const RandomKey& key) const {
  if (speed_ > 0) {
    sound = sped_up(sound, drawn_speed(key));
  }
  if (draws_noise(key) && !sound.samples.empty()) {
    const Draws noisy = draws_for(key, "noise");
    const double db =
        noise_least_db_ + noisy.uniform_double(1) * (noise_most_db_ - noise_least_db_);
    double power = 0;
    for (const float sample : sound.samples) {
      power += static_cast<double>(sample) * sample / static_cast<double>(sound.samples.size());
    }
    const auto deviation = static_cast<float>(std::sqrt(power) * std::pow(10, -db / 20));
    const Draws draws = draws_for(key, "noise samples");
    for (std::size_t n = 0; n < sound.samples.size(); ++n) {
      sound.samples[n] += deviation * draws.normal(n);
    }
  }
  return sound;
}

void SoundChanges::mask(std::span<float> rows, int64_t width, const RandomKey& key) const {
  if (rows.empty() || (masks_ == 0 && column_masks_ == 0)) {
    return;
  }
  const auto columns = static_cast<std::size_t>(width);
  const std::size_t count = rows.size() / columns;
  const std::vector<float> means = column_means(rows, columns);
  const Draws over_time = draws_for(key, "masks");
  for (int64_t mask = 0; mask < masks_; ++mask) {
    const Stretch hidden = drawn_stretch(over_time, static_cast<uint64_t>(mask), mask_rows_, count);
    for (std::size_t t = hidden.first; t < hidden.first + hidden.count; ++t) {
      std::copy(means.begin(), means.end(),
                rows.begin() + static_cast<std::ptrdiff_t>(t * columns));
    }
  }
  const Draws over_columns = draws_for(key, "column masks");
  for (int64_t mask = 0; mask < column_masks_; ++mask) {
    const Stretch hidden =
        drawn_stretch(over_columns, static_cast<uint64_t>(mask), mask_columns_, columns);
    for (std::size_t t = 0; t < count; ++t) {
      std::copy_n(means.begin() + static_cast<std::ptrdiff_t>(hidden.first), hidden.count,
                  rows.begin() + static_cast<std::ptrdiff_t>(t * columns + hidden.first));
    }
  }
}

}  // namespace heed
