// A module's settings as a tree of values: what a recipe, a command line or a model file says.
//
//   {"width": 256, "norm": "rms_norm", "score": {"kind": "additive", "width": 64},
//    "focus": ["causal", {"kind": "window", "left": 8}], "embedding": {"scale": true}}
//
// A setting is a scalar or a list of them. A part is its name, or a table with its kind and
// settings; without a kind the table is about the part that is there. A part of another kind starts
// from that kind's defaults. A list of parts is an array, or a single part. A child with settings
// is a table.
#pragma once

#include <string>
#include <vector>

#include "heed/base/json.h"
#include "heed/nn/module.h"

namespace heed {

/// What is wrong with a configuration, and where: `encoder.heads: saw 0, needs …`.
class SettingError : public Error {
 public:
  SettingError(std::string path, const std::string& message)
      : Error((path.empty() ? "settings" : path) + ": " + message, Fault::usage),
        path_(std::move(path)) {}
  /// Dotted, "encoder.focus[1].left"; empty at the root.
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Assigns what `tree` says to an unbuilt module; what it does not name stays. Unknown names, wrong
/// types and values out of range are a SettingError. `path` is where the module itself stands.
void apply(Module& module, const Json& tree, const std::string& path = "");

/// Every setting with its value; `apply` to a fresh module of the kind gives the same settings.
Json config_of(Module& module);

/// One line of help.
struct SettingHelp {
  std::string path;
  std::string type;     // bool, int, float, text, texts, ints, part, parts
  std::string value;    // as it is now, in JSON: of a fresh module the default
  std::string allowed;  // "a whole number of at least 1"
  std::string help;
};

/// All settings of a module and of the parts and children it has now, in order of description.
std::vector<SettingHelp> explain(Module& module);

}  // namespace heed
