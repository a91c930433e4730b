// The options of search on the command line, shared by the verbs that translate.
#pragma once

#include "heed/cli/setting_options.h"
#include "heed/engine/translate_options.h"

namespace heed {

class SearchFlags {
 public:
  void options(Options& options);
  /// The given options with what they imply; Fault::usage where two contradict each other.
  TranslateOptions chosen() const;

 private:
  TranslateOptions options_;
  SettingOptions settings_;
  bool samples_ = false;
};

}  // namespace heed
