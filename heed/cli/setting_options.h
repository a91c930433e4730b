// Makes options of the command line from settings (heed/config), with their names, help, ranges,
// choices and defaults, so that nothing is written twice.
//
//   SettingOptions settings(options, search);  // --top-k K for the setting `top_k`, …
//   settings["diverse"].takes("GROUPS");
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "heed/cli/options.h"
#include "heed/config/described.h"

namespace heed {

class SettingOptions {
 public:
  SettingOptions() = default;
  /// One option for each setting of `described` and of its children, in the order of description.
  /// `described` must outlive the options and must not move.
  SettingOptions(Options& options, Described& described);

  bool has(const std::string& setting) const { return by_name_.count(setting) > 0; }
  std::vector<std::string> names() const;
  /// The option of a setting.
  Option& operator[](const std::string& setting) { return *by_name_.at(setting); }
  const Option& operator[](const std::string& setting) const { return *by_name_.at(setting); }

 private:
  std::map<std::string, Option*> by_name_;
};

// The layers below name settings, and the command line the options that set them.

/// The message with `max_source` as --max-source, and so on, wherever there is such an option.
std::string naming_options(std::string_view message, const Options& options);

}  // namespace heed
