#include "heed/media/mel.h"

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"

namespace heed {
namespace {

constexpr double slaney_knee_hertz = 1000;
constexpr double slaney_knee_mel = 15;
const double slaney_step = std::log(6.4) / 27;

/// The edges of all filters in hertz.
std::vector<double> edges_of(const MelForm& form, double high, double hertz_per_bin) {
  const double first = mel_of_hertz(form.scale, form.low_hertz);
  const double last = mel_of_hertz(form.scale, high);
  std::vector<double> edges;
  for (int64_t i = 0; i < form.filters + 2; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(form.filters + 1);
    const double hertz = hertz_of_mel(form.scale, first + share * (last - first));
    edges.push_back(form.rounds_edges ? std::round(hertz / hertz_per_bin) * hertz_per_bin : hertz);
  }
  return edges;
}

/// The height at x of the triangle over left, centre and right. A side without width counts as none.
double triangle(double x, double left, double centre, double right) {
  const double rising = centre > left ? (x - left) / (centre - left) : (x >= centre ? 1.0 : 0.0);
  const double falling =
      right > centre ? (right - x) / (right - centre) : (x <= centre ? 1.0 : 0.0);
  return std::max(0.0, std::min(rising, falling));
}

}  // namespace

double mel_of_hertz(MelScale scale, double hertz) {
  if (scale == MelScale::htk) {
    return 2595 * std::log10(1 + hertz / 700);
  }
  return hertz < slaney_knee_hertz
             ? 3 * hertz / 200
             : slaney_knee_mel + std::log(hertz / slaney_knee_hertz) / slaney_step;
}

double hertz_of_mel(MelScale scale, double mel) {
  if (scale == MelScale::htk) {
    return 700 * (std::pow(10, mel / 2595) - 1);
  }
  return mel < slaney_knee_mel
             ? 200 * mel / 3
             : slaney_knee_hertz * std::exp((mel - slaney_knee_mel) * slaney_step);
}

MelFilters::MelFilters(const MelForm& form, int64_t rate, int64_t fft) {
  const double high = form.high_hertz > 0 ? form.high_hertz : static_cast<double>(rate) / 2;
  if (!(form.filters > 0 && form.low_hertz >= 0 && form.low_hertz < high &&
        high <= static_cast<double>(rate) / 2)) {
    fail(Fault::usage,
         "mel filters: {} from {:g} to {:g} Hz are not possible; take at least one, between 0 and "
         "{:g} Hz, half of the rate",
         form.filters, form.low_hertz, high, static_cast<double>(rate) / 2);
  }
  const double hertz_per_bin = static_cast<double>(rate) / static_cast<double>(fft);
  const std::vector<double> edges = edges_of(form, high, hertz_per_bin);
  const auto place = [&form](double hertz) {
    return form.sides == MelSides::mel ? mel_of_hertz(form.scale, hertz) : hertz;
  };
  for (std::size_t j = 1; j + 1 < edges.size(); ++j) {
    const double left = place(edges[j - 1]);
    const double centre = place(edges[j]);
    const double right = place(edges[j + 1]);
    const double span = edges[j + 1] - edges[j - 1];
    const double height = form.has_equal_areas && span > 0 ? 2 / span : 1;
    Filter filter;
    for (int64_t k = 0; k <= fft / 2; ++k) {
      const double weight =
          height * triangle(place(static_cast<double>(k) * hertz_per_bin), left, centre, right);
      if (weight > 0 && filter.weights.empty()) {
        filter.first = static_cast<std::size_t>(k);
      }
      if (weight > 0) {
        filter.weights.push_back(static_cast<float>(weight));
      }
    }
    filters_.push_back(std::move(filter));
  }
}

void MelFilters::sum(std::span<const float> power, std::span<float> sums) const {
  require(sums.size() == filters_.size(), "mel filters: saw room for {} sums, needs {}",
          sums.size(), filters_.size());
  for (std::size_t j = 0; j < filters_.size(); ++j) {
    const Filter& filter = filters_[j];
    require(filter.first + filter.weights.size() <= power.size(),
            "mel filters: saw {} bins, needs the spectrum they were made for", power.size());
    float sum = 0;
    for (std::size_t k = 0; k < filter.weights.size(); ++k) {
      sum += filter.weights[k] * power[filter.first + k];
    }
    sums[j] = sum;
  }
}

}  // namespace heed
