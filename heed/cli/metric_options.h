// The options that set how metrics count, shared by the verbs that compare output with references.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/cli/setting_options.h"
#include "heed/metric/metric.h"
#include "heed/metric/metric_settings.h"

namespace heed {

/// Whether the setting changes the metric.
bool does_read(const Metric& metric, const std::string& setting);

class MetricOptions {
 public:
  void options(Options& options);
  /// They are refused unless one of these options is given.
  void only_with(const std::vector<std::string>& others);
  const MetricSettings& settings() const { return settings_; }
  /// Fault::usage, in a message that begins with the verb, where an option is given that changes none
  /// of these metrics.
  void check_effects(const std::string& verb,
                     std::span<const std::unique_ptr<Metric>> chosen) const;

 private:
  MetricSettings settings_;
  SettingOptions given_;
};

}  // namespace heed
