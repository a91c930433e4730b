// How to search, on the command line: shared by the verbs that translate.
#pragma once

#include "heed/cli/options.h"
#include "heed/engine/translation.h"

namespace heed {

class SearchFlags {
 public:
  void options(Options& options);
  /// The options as given, with what they imply; Fault::usage where two contradict each other.
  TranslateOptions chosen() const;

 private:
  TranslateOptions options_;
  bool samples_ = false;
  bool is_whole_ = false;
  const Option* beam_ = nullptr;
  const Option* groups_ = nullptr;
};

}  // namespace heed
