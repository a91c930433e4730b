// Assigns a tree of values, from a recipe, a command line or a model file, to settings.
//
//   {"width": 256, "norm": "rms_norm", "score": {"kind": "additive", "width": 64},
//    "focus": ["causal", {"kind": "window", "left": 8}], "embedding": {"scale": true}}
//
// A setting is a scalar or a list of scalars. A part is its name, or a table with its kind and
// settings; a table without a kind is about the present part. A part of another kind starts from
// that kind's defaults. A list of parts is an array, or a single part. A child with settings is a
// table.
#pragma once

#include <string>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/json.h"
#include "heed/config/described.h"

namespace heed {

/// One thing that is wrong with a configuration, and where.
struct SettingFault {
  std::string path;         // dotted, "encoder.focus[1].left"; empty at the root
  std::string message;      // "must be a whole number of at least 1, not 0"
  bool is_unknown = false;  // there is no such setting

  /// `encoder.heads: saw 0, needs …`
  std::string sentence() const { return (path.empty() ? "settings" : path) + ": " + message; }
};

/// Everything that is wrong with a configuration: one line for each fault.
class SettingError : public Error {
 public:
  explicit SettingError(std::vector<SettingFault> faults);
  const std::vector<SettingFault>& faults() const { return faults_; }

 private:
  std::vector<SettingFault> faults_;
};

/// Assigns what `tree` says; settings that it does not name keep their values. Unknown names, wrong
/// types and values out of range are reported together in one SettingError; the rest is assigned
/// all the same. `path` is the path of `described` itself.
void apply(Described& described, const Json& tree, const std::string& path = "");

}  // namespace heed
