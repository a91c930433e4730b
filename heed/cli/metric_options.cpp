#include "heed/cli/metric_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/base/error.h"
#include "heed/metric/metrics.h"

namespace heed {
namespace {

/// Of all metrics, those that read the setting.
std::vector<std::string> readers_of(const std::string& setting) {
  std::vector<std::string> names;
  for (const auto& entry : metrics()) {
    if (does_read(*entry.make(), setting)) {
      names.push_back(entry.name);
    }
  }
  return names;
}

std::vector<std::string> chosen_names(std::span<const std::unique_ptr<Metric>> chosen) {
  std::vector<std::string> names;
  for (const auto& metric : chosen) {
    names.emplace_back(metric->name());
  }
  return names;
}

}  // namespace

bool does_read(const Metric& metric, const std::string& setting) {
  const std::vector<std::string> read = metric.reads();
  return std::find(read.begin(), read.end(), setting) != read.end();
}

void MetricOptions::options(Options& options) { given_ = SettingOptions(options, settings_); }

void MetricOptions::only_with(const std::vector<std::string>& others) {
  for (const std::string& setting : given_.names()) {
    given_[setting].only_with(others);
  }
}

void MetricOptions::check_effects(const std::string& verb,
                                  std::span<const std::unique_ptr<Metric>> chosen) const {
  for (const std::string& setting : given_.names()) {
    const bool is_read = std::any_of(chosen.begin(), chosen.end(), [&](const auto& metric) {
      return does_read(*metric, setting);
    });
    if (given_[setting].is_given() && !is_read) {
      fail(Fault::usage, "{}: {} has no effect on {}; it is for {}", verb,
           given_[setting].given_as(), fmt::join(chosen_names(chosen), ", "),
           fmt::join(readers_of(setting), ", "));
    }
  }
  const bool takes_value =
      settings_.smoothing == Smoothing::floor || settings_.smoothing == Smoothing::add_k;
  if (given_["smooth_value"].is_given() && !takes_value) {
    fail(Fault::usage,
         "{}: --smooth-value has no effect without --smooth floor or --smooth add-k; add one, or "
         "leave it out",
         verb);
  }
}

}  // namespace heed
