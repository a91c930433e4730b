// Writes settings as a tree of values, or as lines of help.
#pragma once

#include <string>
#include <vector>

#include "heed/base/json.h"
#include "heed/config/described.h"

namespace heed {

/// Every setting with its value. To `apply` it to a fresh object of the kind gives the same
/// settings.
Json config_of(Described& described);

/// One line of help.
struct SettingHelp {
  std::string path;
  std::string type;     // bool, int, float, text, texts, ints, part, parts
  std::string value;    // the present one in JSON; the default in a fresh object
  std::string allowed;  // "a whole number of at least 1"
  std::string help;
};

/// All settings, including those of the present parts and children, in order of description.
std::vector<SettingHelp> explain(Described& described);

/// A value as a message shows it: JSON, cut short.
std::string shown(const Json& value);

}  // namespace heed
